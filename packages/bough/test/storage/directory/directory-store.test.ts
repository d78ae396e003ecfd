import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { user } from "../../../src/index.ts";
import { DirectoryRepo, DirectoryStorage, DirectoryStore } from "../../../src/storage/directory/index.ts";
import { nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { sessionConformance } from "../../../src/testing/index.ts";
import { beforeEachCall, errno } from "../../support/failing-file-system.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

sessionConformance(
  { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
  {
    name: "directory",
    async create() {
      const root = temporaryFolder();
      return {
        openRepo: async () => new DirectoryRepo({ root }),
        async stored(id) {
          const entries = join(root, id, "entries");
          return readdirSync(entries).map((name) => [name, readFileSync(join(entries, name), "utf8")]);
        },
      };
    },
  },
);

/** A store, the repo of another one, and a session of that other one. */
async function twoStores() {
  const root = join(realpathSync(temporaryFolder()), "store");
  const other = join(realpathSync(temporaryFolder()), "other");
  mkdirSync(root);
  const outside = await stored(other, "outside", "secret");
  return { root, store: new DirectoryStore({ root, durability: "process" }), outside };
}

/** The folder of a new session with one message. */
async function stored(root: string, id: string, text = id): Promise<string> {
  await using repo = new DirectoryRepo({ root, durability: "process" });
  const session = await repo.create({ id, cwd: "/w" });
  await session.appendMessage(user(text));
  return join(root, id);
}

describe("the store is its real path", () => {
  test("SE-01 what an index or a link leads to elsewhere is refused, and stays as it is", async () => {
    const { root, store, outside } = await twoStores();
    symlinkSync(outside, join(root, "outside"));
    const refused = { code: "outside_store" };
    await expect(store.open({ id: "outside", location: outside })).rejects.toMatchObject(refused);
    await expect(store.open({ id: "outside", location: join(root, "..", "..") })).rejects.toMatchObject(refused);
    await expect(store.open({ id: "outside" })).rejects.toMatchObject(refused);
    await expect(store.remove({ id: "outside", location: outside })).rejects.toMatchObject(refused);
    const repo = new DirectoryRepo({ root });
    const listings = [];
    for await (const listing of repo.scan()) listings.push(listing);
    expect(listings).toMatchObject([{ status: "unreadable", path: join(root, "outside"), error: refused }]);
    expect(readdirSync(join(outside, "entries"))).toHaveLength(1);
  });

  test("a path that somebody names is followed", async () => {
    const { store, outside } = await twoStores();
    const ref = await store.resolve(outside);
    expect(ref).toEqual({ id: "outside", location: outside });
    await (await store.open(ref)).log.close();
  });

  test("links to the store and in it lead to one session", async () => {
    const { root } = await twoStores();
    const path = await stored(root, "mine");
    symlinkSync(path, join(root, "alias"));
    const link = join(temporaryFolder(), "link");
    symlinkSync(root, link);
    await using repo = new DirectoryRepo({ root: link });
    expect((await repo.list()).map((info) => info.path)).toEqual([path]);
    const [one, two] = [await repo.open("mine"), await repo.open(join(link, "alias"))];
    expect([one.storage.ref, two.storage.ref]).toEqual([
      { id: "mine", location: path },
      { id: "mine", location: path },
    ]);
  });

  test("a session reached through a link elsewhere is deleted where it is", async () => {
    const { outside } = await twoStores();
    const link = join(temporaryFolder(), "link");
    symlinkSync(outside, link);
    const storage = await DirectoryStorage.open(link);
    await storage.delete();
    expect(readdirSync(join(outside, ".."))).toEqual([".trash"]);
  });
});

test("a session is found by its id where its folder has another name, and comes back under that name", async () => {
  const root = realpathSync(temporaryFolder());
  const path = join(root, "renamed");
  renameSync(await stored(root, "mine"), path);
  await using repo = new DirectoryRepo({ root });
  await expect(repo.open("renamed")).rejects.toMatchObject({ code: "not_found" });
  expect((await repo.open("mine")).storage.ref.location).toBe(path);
  await (await repo.store.open({ id: "mine" })).log.close();
  await repo.delete("mine");
  expect(await repo.undelete("mine")).toEqual({ id: "mine", location: path });
});

test("one folder that can't be read ends no list, and is opened to say what is wrong", async () => {
  const root = realpathSync(temporaryFolder());
  writeFileSync(join(await stored(root, "bad"), "metadata.json"), "{}\n");
  await stored(root, "good");
  writeFileSync(join(root, "stray"), "");
  await using repo = new DirectoryRepo({ root });
  const found: unknown[] = [];
  for await (const listing of repo.scan()) found.push([listing.status, listing.path]);
  expect(found).toEqual([
    ["unreadable", join(root, "bad")],
    ["ok", join(root, "good")],
  ]);
  await expect(repo.open("bad")).rejects.toMatchObject({ code: "invalid_session" });
});

test("one folder that can't even be looked at ends no list", async () => {
  const root = realpathSync(temporaryFolder());
  for (const id of ["a", "shut", "z"]) await stored(root, id);
  const fileSystem = beforeEachCall(nodeFileSystem, (name, _, [path]) => {
    if (name === "statSync" && String(path).includes("shut")) throw errno("EACCES");
  });
  const store = new DirectoryStore({ root, durability: "process", fileSystem });
  const found: unknown[] = [];
  for await (const listing of store.list()) found.push("error" in listing ? listing : listing.id);
  expect(found).toMatchObject(["a", { path: join(root, "shut"), error: { code: "storage_denied" } }, "z"]);
});

describe("the trash", () => {
  /** A store in which sessions of one id were deleted, each known by its text, under these names. */
  async function trashed(names: Readonly<Record<string, string>>) {
    const root = realpathSync(temporaryFolder());
    const trash = join(root, ".trash");
    mkdirSync(trash);
    for (const [name, text] of Object.entries(names)) renameSync(await stored(root, "x", text), join(trash, name));
    return new DirectoryRepo({ root });
  }

  async function textOfRestored(repo: DirectoryRepo): Promise<string | undefined> {
    await repo.undelete("x");
    return (await repo.list())[0]?.firstMessage;
  }

  test("gives back what was deleted last, whatever its name is like", async () => {
    await using repo = await trashed({
      "x.deleted-2026-01-02T00-00-00-000Z": "middle",
      "x.deleted-2026-01-03T00-00-00-000Z": "last",
      "x.deleted-2026-01-01T00-00-00-000Z": "first",
    });
    expect(await textOfRestored(repo)).toBe("last");
    expect(await repo.list({ trash: true })).toHaveLength(2);
  });

  test("knows names that tell no time, and when they were made", async () => {
    await using repo = await trashed({ "x.deleted-2001-01-01T00-00-00-000Z": "old", "x.0a1b2c3d": "timeless" });
    expect(await repo.list({ trash: true })).toHaveLength(2);
    expect(await textOfRestored(repo)).toBe("timeless");
    await repo.delete("x");
    expect(await repo.purge("x")).toBe(2);
  });

  test("takes nothing's place", async () => {
    await using repo = await trashed({ "x.0a1b2c3d": "mine" });
    const [info] = await repo.list({ trash: true });
    const taken = join(info?.path as string, "..", "..", "x");
    mkdirSync(taken);
    writeFileSync(join(taken, "file"), "");
    await expect(repo.undelete("x")).rejects.toMatchObject({ code: "already_exists" });
    expect(await repo.list({ trash: true })).toHaveLength(1);
  });
});
