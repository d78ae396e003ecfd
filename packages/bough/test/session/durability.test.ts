import { join } from "node:path";
import { expect, test } from "vitest";
import { type Durability, SessionHost, SessionRepo } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { DirectoryLog, DirectoryRepo, DirectoryStorage, DirectoryStore } from "../../src/storage/directory/index.ts";
import { JsonlLog, JsonlRepo, JsonlStorage, JsonlStore } from "../../src/storage/jsonl/index.ts";
import { MemoryLog, MemoryRecords, MemoryRepo, MemoryStore } from "../../src/storage/memory/index.ts";
import { filesIn } from "../session-manager/managers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const durability = "sometimes" as Durability;
const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" } as const;
const memoryLog = () => new MemoryLog(new MemoryRecords(header));

test("a durability that there is not is refused where it is given, before anything is written", async () => {
  const root = temporaryFolder();
  const folder = join(root, "s");
  expect(() => new SessionRepo({ store: new MemoryStore(), durability })).toThrow(TypeError);
  expect(() => new MemoryRepo({ durability })).toThrow(TypeError);
  expect(() => new DirectoryStore({ root, durability })).toThrow(TypeError);
  expect(() => new DirectoryRepo({ root, durability })).toThrow(TypeError);
  expect(() => DirectoryLog.create(folder, header, [], { durability })).toThrow(TypeError);
  await expect(DirectoryStorage.create(folder, { durability })).rejects.toThrow(TypeError);
  expect(() => new JsonlStore({ root, durability })).toThrow(TypeError);
  expect(() => new JsonlRepo({ root, durability })).toThrow(TypeError);
  expect(() => JsonlLog.create(join(root, "s.jsonl"), header, [], { durability })).toThrow(TypeError);
  await expect(JsonlStorage.create(join(root, "s.jsonl"), { durability })).rejects.toThrow(TypeError);
  expect(() => SessionHost.openSync(memoryLog(), { durability })).toThrow(TypeError);
  expect(() => SessionManager.create("/w", root, { durability })).toThrow(TypeError);
  expect(() => SessionManager.inMemory("/w", { durability })).toThrow(TypeError);
  expect(() => SessionManager.over(memoryLog(), { durability })).toThrow(TypeError);
  expect(filesIn(root)).toEqual([]);
});

test("a log that is to be opened with such a durability stays closed", () => {
  const root = temporaryFolder();
  const [file, folder] = [join(root, "s.jsonl"), join(root, "s")];
  JsonlLog.create(file, header, []).close();
  DirectoryLog.create(folder, header, []).close();
  expect(() => JsonlLog.open(file, { durability })).toThrow(TypeError);
  expect(() => SessionManager.open(file, undefined, undefined, { durability })).toThrow(TypeError);
  expect(() => DirectoryLog.open(folder, { durability })).toThrow(TypeError);
});
