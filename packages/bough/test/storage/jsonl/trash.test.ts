import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { JsonlStore } from "../../../src/storage/jsonl/jsonl-store.ts";
import { acquireLease } from "../../../src/storage/jsonl/lease.ts";
import { migrateFile } from "../../../src/storage/jsonl/migrate.ts";
import { runProgram } from "../../support/child.ts";
import { fileOf } from "../../support/decode.ts";
import { beforeEachCall, errno } from "../../support/failing-file-system.ts";
import { startProgram } from "../../support/running.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { user } from "./records.ts";
import { create, idsListed, listed, place, sessionText, testStore } from "./stores.ts";

function files(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(root, name)).isFile()).sort();
}

describe("a deleted session", () => {
  test("pi-184 pi-189 DL-09 is in the trash, under its folder, and nowhere else", async () => {
    const { root, store } = testStore();
    const one = await create(store, { id: "s1" });
    await create(store, { id: "s2" });
    const bytes = readFileSync(one.location);
    await store.remove(one);
    await store.remove(one);
    await store.remove({ id: "s1" });
    await store.remove({ id: "unknown" });
    await expect(store.open(one)).rejects.toMatchObject({ code: "not_found" });
    expect(await idsListed(store)).toEqual(["s2"]);
    const [trashed, ...others] = await listed(store, { trash: true });
    expect(others).toEqual([]);
    expect(trashed).toMatchObject({ status: "ok", id: "s1", firstMessage: "u1" });
    const place = relative(root, trashed?.path as string);
    expect(dirname(place)).toBe(join(".trash", dirname(relative(root, one.location))));
    expect(place.endsWith(".jsonl")).toBe(false);
    expect(readFileSync(trashed?.path as string)).toEqual(bytes);
  });

  test("DL-09 comes back where it was, once", async () => {
    const { root, store } = testStore();
    const one = await create(store, { id: "s1" });
    const before = { files: files(root), bytes: readFileSync(one.location) };
    await store.remove(one);
    expect(await store.restore("s1")).toEqual(one);
    expect({ files: files(root), bytes: readFileSync(one.location) }).toEqual(before);
    await expect(store.restore("s1")).rejects.toMatchObject({ code: "not_found" });
  });

  test("does not come back over another", async () => {
    const { store } = testStore();
    const one = await create(store, { id: "s1" });
    await store.remove(one);
    place(one.location, sessionText("s2", "/w/p"));
    await expect(store.restore("s1")).rejects.toMatchObject({ code: "already_exists" });
    await store.remove({ id: "s2" });
    await create(store, { id: "s1", cwd: "/w/elsewhere" });
    await expect(store.restore("s1")).rejects.toMatchObject({ code: "already_exists" });
    expect(await idsListed(store, { trash: true })).toEqual(["s1", "s2"]);
  });

  test("leaves room for another of its name, and the last one comes back first", async () => {
    const { store } = testStore();
    const one = await create(store, { id: "s1", timestamp: "2026-01-01T00:00:00.000Z" }, [[user("old")]]);
    await store.remove(one);
    const two = await create(store, { id: "s1", timestamp: "2026-01-01T00:00:00.000Z" }, [[user("new")]]);
    await store.remove(two);
    expect(await idsListed(store, { trash: true })).toEqual(["s1", "s1"]);
    await store.restore("s1");
    expect(await listed(store)).toMatchObject([{ firstMessage: "new" }]);
    expect(await store.purge("s1")).toBe(1);
  });

  test("CC-10 takes its backups along, and brings them back", async () => {
    const { root, store } = testStore();
    const v1 = fileOf({ type: "session", id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" });
    const location = place(join(root, "x", "t_s1.jsonl"), v1);
    migrateFile(location);
    const before = files(root);
    await store.remove({ id: "s1", location });
    expect(files(root).filter((name) => !name.startsWith(".trash"))).toEqual([]);
    await store.restore("s1");
    expect(files(root)).toEqual(before);
    await store.remove({ id: "s1" });
    expect(await store.purge()).toBe(1);
    expect(files(root)).toEqual([]);
  });

  test("CC-10 is not written to any more by those who had it open", async () => {
    const { root, store } = testStore();
    const one = await create(store, { id: "s1" });
    const { log } = await store.open(one);
    await log.append([[user("u2", "u1")]]);
    await store.remove(one);
    await expect(log.append([[user("u3", "u2")]])).rejects.toMatchObject({ code: "session_deleted" });
    await log.close();
    expect(files(root).filter((name) => !name.startsWith(".trash"))).toEqual([]);
  });

  test("a damaged one can be deleted too", async () => {
    const { root, store } = testStore();
    const location = place(join(root, "x", "t_bad.jsonl"), "\0\0\0");
    await store.remove({ id: "bad", location });
    expect(await idsListed(store)).toEqual([]);
    expect(await idsListed(store, { trash: true })).toEqual(["unreadable:bad"]);
    expect(await store.restore("bad")).toEqual({ id: "bad", location });
    expect(readFileSync(location, "utf8")).toBe("\0\0\0");
  });
});

describe("a session that is being driven", () => {
  test("is not deleted", async () => {
    const { store } = testStore();
    const one = await create(store, { id: "s1" });
    await using driver = startProgram(join(import.meta.dirname, "programs/hold-lease.ts"), [
      one.location,
      "s1",
      process.platform,
    ]);
    await driver.nextLine();
    const holder = `process ${driver.pid} (chat)`;
    await expect(store.remove(one)).rejects.toMatchObject({ code: "busy", details: { holder } });
    expect(existsSync(one.location)).toBe(true);
    await driver.kill();
    await store.remove(one);
    expect(existsSync(one.location)).toBe(false);
  });

  test("by this process is not deleted either", async () => {
    const { store } = testStore();
    const one = await create(store, { id: "s1" });
    const lease = await acquireLease({ file: one.location, id: "s1", doing: "chat" });
    await expect(store.remove(one)).rejects.toMatchObject({ code: "busy" });
    lease.release();
    await store.remove(one);
  });
});

describe("purging", () => {
  test("destroys what is in the trash, one session or all", async () => {
    const { root, store } = testStore();
    for (const id of ["s1", "s2", "s3", "kept"]) await create(store, { id });
    for (const id of ["s1", "s2", "s3"]) await store.remove({ id });
    expect(await store.purge("s2")).toBe(1);
    expect(await store.purge("s2")).toBe(0);
    expect(await idsListed(store, { trash: true })).toEqual(["s1", "s3"]);
    expect(await store.purge(undefined, new Date(0))).toBe(0);
    expect(await store.purge()).toBe(2);
    expect(await store.purge()).toBe(0);
    expect(files(root)).toHaveLength(1);
    expect(await idsListed(store)).toEqual(["kept"]);
  });
});

test("purging removes temporary files that a crash left, and none that may be in use", async () => {
  const { root, store } = testStore();
  const { location } = await create(store, { id: "s1" });
  const hex = "0123456789abcdef0123456789abcdef";
  const old = place(join(dirname(location), `.tmp-${hex}`), "half a session");
  const young = place(join(root, `.tmp-${hex.replace("0", "f")}`), "half a session");
  const other = place(join(root, ".tmp-notes"), "mine");
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const path of [old, other]) utimesSync(path, yesterday, yesterday);
  await store.purge();
  expect([old, young, other, location].map((path) => existsSync(path))).toEqual([false, true, true, true]);
});

test("where there are no links a session comes back by a rename", async () => {
  const { root, store } = testStore();
  const one = await create(store, { id: "s1" });
  await store.remove(one);
  const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
    if (name === "linkSync") throw errno("ENOTSUP");
  });
  expect(await new JsonlStore({ root, durability: "process", fileSystem }).restore("s1")).toEqual(one);
});

test("a rename that fails leaves the session where it is", async () => {
  const { root, store } = testStore();
  const one = await create(store, { id: "s1" });
  const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
    if (name === "renameSync") throw errno("EACCES");
  });
  const broken = new JsonlStore({ root, durability: "process", fileSystem });
  await expect(broken.remove(one)).rejects.toMatchObject({ code: "storage_denied", details: { operation: "delete" } });
  expect(await idsListed(store)).toEqual(["s1"]);
});

describe("SE-03 whatever the umask", () => {
  test.skipIf(process.platform === "win32").each(["000", "022", "077", "277"])(
    "%s, files and folders are their owner's alone",
    async (umask) => {
      const root = join(temporaryFolder(), "home", "sessions");
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const v1 = fileOf({ type: "session", id: "old", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" });
      writeFileSync(join(root, "t_old.jsonl"), v1, { mode: 0o644 });
      const { stderr, exitCode } = await runProgram(join(import.meta.dirname, "programs/touch-everything.ts"), [
        root,
        umask,
      ]);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      const names = readdirSync(root, { recursive: true, encoding: "utf8" });
      const kinds = names.map((name) => name.replace(/.*\.jsonl/, "").replace(/[0-9TZ-]+/g, ""));
      expect(kinds).toEqual(expect.arrayContaining(["", ".v.bak", ".deleted", ".damaged.bak.deleted"]));
      for (const name of names) {
        const stat = statSync(join(root, name));
        expect({ name, mode: stat.mode & 0o777 }).toEqual({ name, mode: stat.isDirectory() ? 0o700 : 0o600 });
      }
    },
  );
});

test("a folder that was renamed away does not keep a session from coming back", async () => {
  const { root, store } = testStore();
  const one = await create(store, { id: "s1" });
  await store.remove(one);
  renameSync(dirname(one.location), join(root, "moved"));
  expect(await store.restore("s1")).toEqual(one);
});
