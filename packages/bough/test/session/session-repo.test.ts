import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assistant, type SessionRepo, user } from "../../src/index.ts";
import { DirectoryRepo } from "../../src/storage/directory/index.ts";
import { JsonlRepo } from "../../src/storage/jsonl/index.ts";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hostileIds = [
  "../../no-such-session",
  "/abs",
  "a/b",
  "..",
  ".",
  "",
  "a\u0000b",
  "s1.jsonl/../../y",
  "-a",
  "a-",
  "x".repeat(300),
];

const repos: readonly [string, (root: string) => SessionRepo][] = [
  ["memory", () => new MemoryRepo({ durability: "process" })],
  ["directory", (root) => new DirectoryRepo({ root, durability: "process" })],
  ["jsonl", (root) => new JsonlRepo({ root, durability: "process" })],
];

function everythingIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
}

describe.each(repos)("a repo in %s", (_, repoIn) => {
  test("a session is found by id, unique part of an id, name and listing", async () => {
    await using repo = repoIn(temporaryFolder());
    const session = await repo.create({ id: "alpha-1234-omega", cwd: "/w", metadata: { team: "a" } });
    await session.appendMessage(user("hello"));
    await session.appendSessionName("My name");
    await repo.create({ id: "alpha-9999-other", cwd: "/w" });
    for (const query of ["alpha-1234-omega", "alpha-12", "-omega", "My name"]) {
      expect((await repo.open(query)).id).toBe("alpha-1234-omega");
    }
    const [info] = await repo.list({ metadata: { team: "a" } });
    expect(info).toMatchObject({
      id: "alpha-1234-omega",
      name: "My name",
      firstMessage: "hello",
      messageCount: 1,
      cwd: "/w",
    });
    expect((await repo.open(info as NonNullable<typeof info>)).id).toBe("alpha-1234-omega");
    await expect(repo.open("alpha-")).rejects.toMatchObject({
      code: "ambiguous",
      details: { candidates: expect.any(Array) },
    });
  });

  test("LS-13 opening never creates, unless asked to", async () => {
    await using repo = repoIn(temporaryFolder());
    await expect(repo.open("6b17")).rejects.toMatchObject({ code: "not_found" });
    await expect(repo.open("C:wsess.jsonl")).rejects.toMatchObject({ code: "not_found" });
    expect(await repo.list()).toEqual([]);
    const [one, two] = await Promise.all([
      repo.open("host-7", { create: true }),
      repo.open("host-7", { create: true }),
    ]);
    await one.appendMessage(user("a"));
    await two.refresh({ follow: true });
    expect(await two.getBranch()).toHaveLength(1);
    expect(await repo.list()).toHaveLength(1);
  });

  test("pi-188 an id is created once", async () => {
    await using repo = repoIn(temporaryFolder());
    await repo.create({ id: "one" });
    await expect(repo.create({ id: "one" })).rejects.toMatchObject({ code: "already_exists" });
  });

  test("SE-01 ids that are no names are refused by every verb and touch nothing", async () => {
    const root = join(temporaryFolder(), "store");
    await using repo = repoIn(root);
    const session = await repo.create({ id: "good" });
    await session.appendMessage(user("a"));
    const before = everythingIn(join(root, ".."));
    for (const id of hostileIds) {
      await expect(repo.create({ id })).rejects.toMatchObject({ code: "invalid_session" });
      await expect(session.fork(undefined, { id })).rejects.toMatchObject({ code: "invalid_session" });
      await expect(repo.open(id)).rejects.toMatchObject({
        code: expect.stringMatching(/not_found|invalid_session|outside_store/),
      });
      await expect(repo.undelete(id)).rejects.toMatchObject({ code: "not_found" });
      expect(await repo.purge(id)).toBe(0);
      await repo.delete(id);
    }
    expect(everythingIn(join(root, ".."))).toEqual(before);
  });

  test("CC-02 two that open one session share it, each with a leaf of its own", async () => {
    await using repo = repoIn(temporaryFolder());
    const { id } = await repo.create();
    const [one, two] = [await repo.open(id), await repo.open(id)];
    const u1 = await one.appendMessage(user("1"));
    const u2 = await two.appendMessage(user("2"));
    expect([one.leafId, two.leafId]).toEqual([u1, u2]);
    await one.close();
    expect(await two.getEntries()).toHaveLength(2);
    await two.close();
    expect((await repo.open(id)).leafId).toBe(u2);
  });

  test("pi-184 CC-10 a deleted session is in the trash, takes no more entries, and can come back", async () => {
    await using repo = repoIn(temporaryFolder());
    const session = await repo.create({ id: "gone" });
    await session.appendMessage(user("a"));
    await session.delete();
    await expect(session.appendMessage(user("late"))).rejects.toMatchObject({ code: "session_deleted" });
    expect(await session.getEntries()).toHaveLength(1);
    expect(await repo.list()).toEqual([]);
    expect(await repo.list({ trash: true })).toHaveLength(1);
    await expect(repo.open("gone")).rejects.toMatchObject({ code: "not_found" });
    await repo.delete("gone");
    await repo.undelete("gone");
    expect(await (await repo.open("gone")).getEntries()).toHaveLength(1);
    await repo.delete("gone");
    expect(await repo.purge("other")).toBe(0);
    expect(await repo.purge()).toBe(1);
    await expect(repo.undelete("gone")).rejects.toMatchObject({ code: "not_found" });
  });

  test("pi-173 pi-174 pi-175 pi-176 a fork is a session of its own and leaves the source as it was", async () => {
    const root = temporaryFolder();
    await using repo = repoIn(root);
    const source = await repo.create({ id: "source", cwd: "/w", metadata: { team: "a" } });
    const u1 = await source.appendMessage(user("a"));
    const a1 = await source.appendMessage(assistant("b"));
    const u2 = await source.appendMessage(user("c"));
    const before = JSON.stringify(await source.getEntries());
    const fork = await repo.fork("source", a1);
    expect((await fork.getEntries()).map(({ id }) => id)).toEqual([u1, a1]);
    expect(fork.header).toMatchObject({ parentSessionId: "source", inheritedEntries: 2, metadata: { team: "a" } });
    await fork.appendMessage(user("mine"));
    expect((await repo.fork("source", u2, { position: "before" })).leafId).toBe(a1);
    expect(await (await repo.fork("source", u1, { position: "before" })).getEntries()).toEqual([]);
    expect((await repo.fork("source")).leafId).toBe(u2);
    await expect(repo.fork("source", a1, { position: "before" })).rejects.toMatchObject({
      code: "invalid_fork_target",
    });
    await expect(repo.fork("source", "nowhere")).rejects.toMatchObject({ code: "not_found" });
    expect(JSON.stringify(await (await repo.open("source")).getEntries())).toBe(before);
    expect(await repo.list()).toHaveLength(5);
  });

  test("an aborted listing throws the reason", async () => {
    await using repo = repoIn(temporaryFolder());
    await repo.create();
    await expect(repo.list({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

test.each([DirectoryRepo, JsonlRepo])("SE-03 everything %o writes is private, whatever the umask", async (Repo) => {
  const root = join(temporaryFolder(), "deep", "store");
  const umask = process.umask(0);
  try {
    await using repo = new Repo({ root });
    const session = await repo.create({ id: "s" });
    await session.appendMessage(user("a"));
    await session.fork();
    await session.delete();
    for (const name of everythingIn(root)) expect(statSync(join(root, name)).mode & 0o077, name).toBe(0);
    expect(statSync(root).mode & 0o077).toBe(0);
  } finally {
    process.umask(umask);
  }
});

test.each([DirectoryRepo, JsonlRepo])("SE-01 %o makes no session at a path where nothing is", async (Repo) => {
  const folder = temporaryFolder();
  await using repo = new Repo({ root: join(folder, "store"), cwd: "/w" });
  for (const path of [join(folder, "elsewhere", "mine.jsonl"), "../mine", "a/b"]) {
    await expect(repo.open(path)).rejects.toMatchObject({ code: "not_found" });
    await expect(repo.open(path, { create: true })).rejects.toMatchObject({ code: "invalid_session" });
  }
  expect(everythingIn(folder)).toEqual([]);
});

test("pi-19 an empty file is a place for a session, and no session", async () => {
  const path = join(temporaryFolder(), "empty.jsonl");
  writeFileSync(path, "");
  await using repo = new JsonlRepo({ root: join(path, "..", "store") });
  await expect(repo.open(path)).rejects.toMatchObject({ code: "not_found" });
  expect(statSync(path).size).toBe(0);
  const session = await repo.open(path, { create: { cwd: "/w" } });
  await session.appendMessage(user("a"));
  expect((await repo.open(path)).header.cwd).toBe("/w");
});
