import { chmodSync, existsSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { newHeader } from "../../../src/session/new-header.ts";
import { nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { JsonlStore } from "../../../src/storage/jsonl/jsonl-store.ts";
import { projectFolder } from "../../../src/storage/jsonl/project-folder.ts";
import { recordOf } from "../../../src/testing/log-case.ts";
import { runProgram } from "../../support/child.ts";
import { beforeEachCall, errno } from "../../support/failing-file-system.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { idsIn, idsOf, user } from "./records.ts";
import { create, idsListed, listed, place, sessionText, snapshot, testStore } from "./stores.ts";

describe("creating", () => {
  test("BR-03 puts a session where its project and its id say, complete", async () => {
    const { root, store } = testStore();
    const timestamp = "2026-01-02T03:04:05.678Z";
    const { id, location } = await create(store, { id: "s1", timestamp, cwd: "/w/p" }, [
      [user("u1"), user("u2", "u1")],
      [user("u3", "u2")],
    ]);
    expect(id).toBe("s1");
    expect(relative(root, location)).toBe(join(projectFolder("/w/p"), "2026-01-02T03-04-05-678Z_s1.jsonl"));
    expect(idsIn(location)).toEqual(["u1", "u2", "u3"]);
    expect(readdirSync(dirname(location))).toEqual(["2026-01-02T03-04-05-678Z_s1.jsonl"]);
  });

  test("pi-188 refuses an id that its project has", async () => {
    const { store } = testStore();
    await create(store, { id: "s1" });
    await expect(create(store, { id: "s1" })).rejects.toMatchObject({ code: "already_exists" });
    await expect(create(store, { id: "s1", cwd: "/w/other" })).resolves.toMatchObject({ id: "s1" });
  });

  test("of one id by many at once succeeds once", async () => {
    const { store, root } = testStore();
    const header = (second: number) => ({ id: "s1", timestamp: `2026-01-01T00:00:0${second}.000Z` });
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((second) => create(store, header(second))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await idsListed(new JsonlStore({ root, durability: "process" }))).toEqual(["s1"]);
  });

  test("pi-12 SE-01 refuses ids that could lead elsewhere, whatever the verb, and touches no file", async () => {
    const { root, store } = testStore();
    await create(store, { id: "s1" });
    const outside = place(join(root, "..", "x"), "mine");
    const before = snapshot(dirname(root));
    const ids = [
      "../../no-such-session",
      outside,
      "a/b",
      "..",
      ".",
      "",
      "a\0b",
      "s1.jsonl/../../y",
      "a".repeat(300),
      "-a",
      "a-",
      " ",
    ];
    for (const id of ids) {
      await expect(create(store, { id })).rejects.toMatchObject({ code: "invalid_session" });
      await expect(store.open({ id })).rejects.toMatchObject({ code: "not_found" });
      await expect(store.remove({ id })).resolves.toBeUndefined();
      await expect(store.restore(id)).rejects.toMatchObject({ code: "not_found" });
      expect(await store.purge(id)).toBe(0);
      if (id !== outside) await expect(store.resolve(id)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(snapshot(dirname(root))).toEqual(before);
  });

  test("SE-01 takes no path from a time", async () => {
    const { root, store } = testStore();
    const { location } = await create(store, { id: "s1", timestamp: "../../../up" });
    expect(location.startsWith(join(root, projectFolder("/w/p")))).toBe(true);
  });

  test("pi-183 leaves nothing if its records end in an error", async () => {
    const { root, store } = testStore();
    async function* failing() {
      yield [user("u1")];
      throw new Error("the source broke");
    }
    await expect(store.create(newHeader({ id: "s1", cwd: "/w/p" }), failing())).rejects.toThrow("the source broke");
    expect(readdirSync(join(root, projectFolder("/w/p")))).toEqual([]);
  });

  test.each([
    ["process", ["writeSync", "writeSync", "linkSync"]],
    ["turn", ["writeSync", "writeSync", "fdatasyncSync", "linkSync", "fsyncSync"]],
  ] as const)("at %s makes these calls in this order", async (durability, expected) => {
    const { root, store } = testStore();
    await create(store);
    const order: string[] = [];
    const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
      if (["writeSync", "fdatasyncSync", "linkSync", "fsyncSync"].includes(name)) order.push(name);
    });
    await create(new JsonlStore({ root, durability, fileSystem }));
    expect(order).toEqual(expected);
  });

  test("PO-08 says that a folder can't be written, and gives no id out", async () => {
    const root = join(temporaryFolder(), "file", "sessions");
    place(dirname(root), "a file where the folder should be");
    const store = new JsonlStore({ root, durability: "process" });
    await expect(create(store)).rejects.toMatchObject({ code: "storage_io", details: { outcome: "not_written" } });
    const readOnly = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "mkdirSync") throw errno("EROFS");
    });
    const other = new JsonlStore({ root: join(temporaryFolder(), "s"), durability: "process", fileSystem: readOnly });
    await expect(create(other)).rejects.toMatchObject({ code: "storage_denied", details: { errno: "EROFS" } });
    expect(await listed(other)).toEqual([]);
  });

  test("DL-04 stays in one place when the working directory changes", async () => {
    const folder = realpathSync(temporaryFolder());
    const before = process.cwd();
    const moved = await runProgram(join(import.meta.dirname, "programs/change-directory.ts"), [folder]);
    expect(moved.stderr).toBe("");
    expect(process.cwd()).toBe(before);
    expect(existsSync(join(folder, "sub", "sessions"))).toBe(false);
    const [session] = await listed(new JsonlStore({ root: join(folder, "sessions"), durability: "process" }));
    expect(idsIn(session?.path as string)).toEqual(["u1", "a1", "u2"]);
  });
});

describe("finding", () => {
  test("PO-12 pi-184 by id, whatever became of the project's directory", async () => {
    const { store } = testStore();
    const { id, location } = await create(store, { id: "s1", cwd: "/w/gone" });
    expect(await store.resolve("s1")).toEqual({ id, location });
    const { log, ref } = await store.open({ id: "s1" });
    expect(ref).toEqual({ id, location });
    expect(idsOf((await log.changes()).heads)).toEqual(["u1"]);
    await log.close();
  });

  test("LS-06 LS-13 by a unique prefix or suffix, by name and by path; nothing is created", async () => {
    const { root, store } = testStore();
    const one = await create(store, { id: "0199aaaa-1111" });
    const two = await create(store, { id: "0199bbbb-2222" });
    const name = {
      type: "session_info",
      id: "n",
      parentId: "u1",
      timestamp: "2026-01-01T00:00:00.000Z",
      name: "Tea",
    } as const;
    const named = await create(store, { id: "plain" }, [[user("u1")], [recordOf(name)]]);
    const before = snapshot(root);
    expect(await store.resolve("0199a")).toEqual(one);
    expect(await store.resolve("2222")).toEqual(two);
    expect(await store.resolve("plai")).toEqual(named);
    expect(await store.resolve("Tea")).toEqual(named);
    expect(await store.resolve(one.location)).toEqual(one);
    await expect(store.resolve("0199")).rejects.toMatchObject({
      code: "ambiguous",
      details: { candidates: expect.arrayContaining([one.id, two.id]) },
    });
    for (const query of ["222", "nope", "C:wsess.jsonl", "./none.jsonl"]) {
      await expect(store.resolve(query)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(snapshot(root)).toEqual(before);
  });

  test("a session whose file is named otherwise", async () => {
    const { root, store } = testStore();
    const path = place(join(root, "any folder", "chat.jsonl"), sessionText("s1", "/w/p"));
    expect(await store.resolve("s1")).toEqual({ id: "s1", location: path });
  });

  test("two files of one id are ambiguous", async () => {
    const { root, store } = testStore();
    place(join(root, "a", "t_s1.jsonl"), sessionText("s1", "/w/p"));
    place(join(root, "b", "t_s1.jsonl"), sessionText("s1", "/w/p"));
    await expect(store.resolve("s1")).rejects.toMatchObject({ code: "ambiguous" });
    await expect(store.open({ id: "s1" })).rejects.toMatchObject({ code: "ambiguous" });
  });

  test("a path that was named is followed out of the store, one from an index is not", async () => {
    const { root, store } = testStore();
    await create(store);
    const elsewhere = place(join(realpathSync(temporaryFolder()), "x.jsonl"), sessionText("s9", "/w/p"));
    for (const location of [elsewhere, relative(root, elsewhere), "../x.jsonl"]) {
      await expect(store.open({ id: "s9", location })).rejects.toMatchObject({ code: "outside_store" });
      await expect(store.remove({ id: "s9", location })).rejects.toMatchObject({ code: "outside_store" });
    }
    const ref = await store.resolve(elsewhere);
    expect(ref).toEqual({ id: "s9", location: elsewhere });
    const { log } = await store.open(ref);
    await log.close();
    await expect(store.remove(ref)).rejects.toMatchObject({ code: "outside_store" });
    expect(existsSync(elsewhere)).toBe(true);
  });

  test("SE-06 links that lead out of the store are reported and not opened", async () => {
    const { root, store } = testStore();
    await create(store, { id: "s1" });
    const outside = realpathSync(temporaryFolder());
    place(join(outside, "x.jsonl"), sessionText("s9", "/w/p"));
    symlinkSync(join(outside, "x.jsonl"), join(root, "t_s9.jsonl"));
    symlinkSync(outside, join(root, "folder"));
    const listings = await listed(store);
    expect(listings.map(({ status }) => status).sort()).toEqual(["ok", "unreadable", "unreadable"]);
    const errors = listings.flatMap((listing) => (listing.status === "unreadable" ? [listing.error] : []));
    for (const error of errors) expect(error).toMatchObject({ code: "outside_store" });
    const location = join(root, "t_s9.jsonl");
    await expect(store.open({ id: "s9", location })).rejects.toMatchObject({ code: "outside_store" });
  });

  test("PO-07 a link to the store is the store", async () => {
    const { root, store } = testStore();
    const { id, location } = await create(store, { id: "s1" });
    const link = join(temporaryFolder(), "link");
    symlinkSync(root, link);
    const other = new JsonlStore({ root: link, durability: "process" });
    expect(await other.resolve("s1")).toEqual({ id, location });
    expect((await listed(other)).map(({ path }) => path)).toEqual([location]);
    const { ref, log } = await other.open({ id, location: join(link, relative(root, location)) });
    await log.close();
    expect(ref).toEqual({ id, location });
  });

  test("HS-09 DL-12 what is there and can't be read is not missing", async () => {
    const { root, store } = testStore();
    const { id, location } = await create(store, { id: "s1" });
    const unreadable = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "readSync") throw errno("EIO");
    });
    const broken = new JsonlStore({ root, durability: "process", fileSystem: unreadable });
    await expect(broken.open({ id })).rejects.toMatchObject({ code: "storage_io", details: { errno: "EIO" } });
    await expect(broken.open({ id, location })).rejects.toMatchObject({ code: "storage_io" });
    expect(await idsListed(store)).toEqual(["s1"]);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "DL-12 an unreadable file stays listed",
    async () => {
      const { store } = testStore();
      const { id, location } = await create(store, { id: "s1" });
      chmodSync(location, 0);
      await expect(store.open({ id, location })).rejects.toMatchObject({ code: "storage_denied" });
      expect(await listed(store)).toMatchObject([{ status: "unreadable", id, error: { code: "storage_denied" } }]);
    },
  );

  test("a ref to a file that holds another session by now is not found", async () => {
    const { store } = testStore();
    const { location } = await create(store, { id: "s1" });
    await expect(store.open({ id: "s2", location })).rejects.toMatchObject({ code: "not_found" });
    await store.remove({ id: "s2", location });
    expect(await idsListed(store)).toEqual(["s1"]);
  });
});
