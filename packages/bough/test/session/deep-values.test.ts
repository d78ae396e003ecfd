import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { estimateTokens, type Session } from "../../src/index.ts";
import { describeEntry } from "../../src/outline/index.ts";
import { sameJson } from "../../src/session/same-json.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { DirectoryRepo, DirectoryStorage } from "../../src/storage/directory/index.ts";
import { JsonlRepo, JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Deeper than any program gets that goes down by recursion. */
const nesting = `${'{"a":['.repeat(50_000)}1${"]}".repeat(50_000)}`;

const call = { role: "assistant", provider: "p", model: "m", stopReason: "toolUse", timestamp: 2 };
const content = [{ type: "toolCall", id: "c1", name: "odd", arguments: { deep: "@" } }];

/** A line in which what is nested stands for "@". */
function line(record: object): string {
  return `${JSON.stringify(record).replace('"@"', () => nesting)}\n`;
}

function stored(version: number, lines: readonly string[]): { readonly repo: JsonlRepo; readonly path: string } {
  const root = temporaryFolder();
  const path = join(root, "session.jsonl");
  const at = "2026-01-01T00:00:00.000Z";
  writeFileSync(path, line({ type: "session", version, id: "s1", timestamp: at, cwd: "/w" }) + lines.join(""));
  return { repo: new JsonlRepo({ root }), path };
}

async function expectDeep(session: Session, id: string): Promise<void> {
  const entry = await session.getEntry(id);
  const [block] = (entry as unknown as { readonly message: { readonly content: typeof content } }).message.content;
  expect(sameJson(block?.arguments.deep, JSON.parse(nesting))).toBe(true);
  expect(describeEntry(entry as NonNullable<typeof entry>)).toMatch(/^\[odd: /);
}

test("what is nested ten thousands deep is stored, told, counted and forked", async () => {
  const { repo, path } = stored(3, []);
  const session = await repo.open(path);
  const user = await session.appendMessage({ role: "user", content: "go" });
  await session.appendLabel(user, "here");
  const id = await session.appendMessage(JSON.parse(line({ ...call, content })));
  await expectDeep(session, id);
  const { messages } = await session.buildContext();
  expect(messages.map(estimateTokens)[1]).toBeGreaterThan(nesting.length / 8);
  const fork = await session.fork();
  await expectDeep(fork, id);
  await fork.close();
  await session.close();
  await expectDeep(await repo.open(path), id);
});

test("what is nested ten thousands deep is copied where its parent stays behind, and brought to the current form", async () => {
  const base = { timestamp: "2026-01-01T00:00:01.000Z" };
  const label = { type: "label", id: "l1", parentId: null, ...base, targetId: "m1", label: "x" };
  const message = { type: "message", id: "m1", parentId: "l1", ...base, message: { ...call, content } };
  const behindMark = stored(3, [line(label), line(message)]);
  const fork = await (await behindMark.repo.open(behindMark.path)).fork();
  expect(fork.leafId).toBe("m1");
  await expectDeep(fork, "m1");

  const { id: _, parentId: __, ...old } = message;
  const older = stored(1, [line(old)]);
  const session = await older.repo.open(older.path);
  const before = session.leafId as string;
  await session.appendMessage({ role: "user", content: "go on" });
  await expectDeep(session, before);
  expect(JSON.parse(readFileSync(older.path, "utf8").split("\n")[0] as string)).toMatchObject({ version: 3 });
});

test("metadata nested ten thousands deep is kept however a session is made", async () => {
  const metadata = { deep: JSON.parse(nesting) };
  const folder = temporaryFolder();
  const manager = SessionManager.create("/w", join(folder, "manager"), { metadata });
  manager.appendMessage({ role: "user", content: "go" });
  const file = manager.getSessionFile() as string;
  const fork = SessionManager.forkFrom(file, "/w", folder, { metadata });
  const storages = [
    await JsonlStorage.create(join(folder, "s.jsonl"), { metadata }),
    await JsonlStorage.open(join(folder, "s.jsonl")),
    await JsonlStorage.open(file),
    await JsonlStorage.open(fork.getSessionFile() as string),
    await DirectoryStorage.create(join(folder, "d"), { metadata }),
    await DirectoryStorage.open(join(folder, "d")),
    (await new DirectoryRepo({ root: join(folder, "store") }).create({ metadata })).storage,
    (await new JsonlRepo({ root: join(folder, "files") }).create({ metadata })).storage,
    (await new MemoryRepo().create({ metadata })).storage,
  ];
  for (const storage of storages) {
    expect(sameJson(storage.metadata, metadata)).toBe(true);
    await storage.close();
  }
});

test("what is nested ten thousands deep is forked and undeleted in memory", async () => {
  const repo = new MemoryRepo();
  const session = await repo.create({ id: "s1" });
  const id = await session.appendMessage(JSON.parse(line({ ...call, content })));
  await expectDeep(await session.fork(), id);
  await session.delete();
  await repo.undelete("s1");
  await expectDeep(await repo.open("s1"), id);
});

test("a version nested ten thousands deep is one that is not supported", async () => {
  const { repo, path } = stored(3, []);
  writeFileSync(path, line({ type: "session", version: "@", id: "s1", timestamp: "", cwd: "/w" }));
  const refused = { code: "unsupported_version" };
  await expect(repo.open(path)).rejects.toMatchObject(refused);
  expect(() => SessionManager.open(path)).toThrow(expect.objectContaining(refused));
});
