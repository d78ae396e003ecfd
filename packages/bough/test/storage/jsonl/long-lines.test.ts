import { appendFileSync, closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Catalog, fileSource } from "../../../src/catalog/index.ts";
import { longestLine } from "../../../src/format/line-text.ts";
import { Session } from "../../../src/index.ts";
import { SessionHost } from "../../../src/session/session-host.ts";
import { SessionStorage } from "../../../src/session/session-storage.ts";
import { type FileSystem, nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { JsonlLog, JsonlRepo } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { codesOf, header, idsIn, idsOf, opened, user } from "./records.ts";

test("HS-02 a line that no string can hold is a damaged entry, to everybody who reads it", async () => {
  const root = temporaryFolder();
  const session = await new JsonlRepo({ root }).open(sessionIn(root, { hole: longestLine }));
  expect(await session.getEntry("b")).toMatchObject({ type: "damaged", id: "b", parentId: "a" });
  expect((await session.getBranch()).map(({ id, type }) => [id, type])).toEqual([
    ["a", "message"],
    ["b", "damaged"],
    ["c", "message"],
  ]);
  const { ok, entries, diagnostics } = await session.check();
  expect({ ok, entries, codes: diagnostics.map(({ code }) => code) }).toEqual({
    ok: false,
    entries: 3,
    codes: ["damaged_entry"],
  });
  expect((await session.getSessionStats()).messageCount).toBe(2);
  await session.close();
  expect((await new JsonlRepo({ root }).list()).map(({ id }) => id)).toEqual([header.id]);
  using catalog = Catalog.open({ sources: [fileSource({ name: "bough", root })] });
  await catalog.update();
  expect((await catalog.list()).sessions).toMatchObject([{ entryCount: 3, damage: { damaged_entry: 1 } }]);
});

test("HS-02 of a line with millions of values what the entry is is told without parsing them", async () => {
  const root = temporaryFolder();
  const usage = { input: 7, output: 5, cacheRead: 0, cacheWrite: 0 };
  const rest = { usage, provider: "p", model: "m", stopReason: "stop" };
  const values = `[${'[1,"a"],'.repeat(1_500_000)}[]]`;
  const message = `{"role":"assistant","content":[],"details":${values},${JSON.stringify(rest).slice(1)}`;
  const reply = `{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":${message}}`;
  const damaged = reply.replace('"id":"b"', '"id":"d"').replace("]]", "]").replace('"parentId":"a"', '"parentId":"b"');
  const lines = [JSON.stringify(header), user("a").json, reply, damaged, user("c", "d").json];
  writeFileSync(join(root, "session.jsonl"), `${lines.join("\n")}\n`);
  const session = await new JsonlRepo({ root }).open(join(root, "session.jsonl"));
  const parse = vi.spyOn(JSON, "parse");
  expect((await session.getSessionStats()).tokens).toMatchObject({ input: 7, output: 5 });
  expect((await session.check()).diagnostics).toMatchObject([{ code: "damaged_entry", entryId: "d" }]);
  const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
  parse.mockRestore();
  expect(longest).toBeLessThan(5 << 20);
  expect(reply.length).toBeGreaterThan(10 << 20);
  await session.close();
});

test("what is wrong with a long line is found without holding it", async () => {
  const root = temporaryFolder();
  const session = await new JsonlRepo({ root }).open(sessionIn(root, { hole: 3 << 20 }));
  const { diagnostics } = await session.check();
  expect(diagnostics).toMatchObject([{ code: "damaged_entry", entryId: "b" }]);
  await session.close();
});

test("a long line at the end is not held before its body is asked for", async () => {
  const path = join(temporaryFolder(), "session.jsonl");
  const text = "x".repeat(3 << 20);
  JsonlLog.create(path, header, [user("a"), user("b", "a", text)], { durability: "process" }).close();
  let longest = 0;
  const readSync = ((fd: number, bytes: Uint8Array, ...place: [number, number, number]) => {
    longest = Math.max(longest, bytes.length);
    return nodeFileSystem.readSync(fd, bytes, ...place);
  }) as FileSystem["readSync"];
  const log = JsonlLog.open(path, { durability: "process", fileSystem: { ...nodeFileSystem, readSync } });
  const session = new Session(new SessionStorage(SessionHost.openSync(log)));
  expect(session.leafId).toBe("b");
  expect(longest).toBeLessThanOrEqual(1 << 20);
  expect((await session.buildContext()).messages.at(-1)).toMatchObject({ content: text });
  expect(longest).toBeGreaterThan(text.length);
  await session.close();
});

test("HS-02 a long line that is being written is not held, and is an entry once it is whole", () => {
  const path = join(temporaryFolder(), "session.jsonl");
  const text = "x".repeat(5 << 20);
  const record = user("b", "a", text).json;
  const written = (from: number, to?: number) => record.slice(from, to);
  writeFileSync(path, `${JSON.stringify(header)}\n${user("a").json}\n${written(0, 2 << 20)}`);
  const parse = vi.spyOn(JSON, "parse");
  const { log, first } = opened(path);
  expect(codesOf(first)).toEqual(["torn_tail"]);
  appendFileSync(path, written(2 << 20, 4 << 20));
  expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
  appendFileSync(path, `${written(4 << 20)}\n`);
  const { heads } = log.changes();
  const longest = Math.max(...parse.mock.calls.map(([json]) => json.length));
  parse.mockRestore();
  expect(longest).toBeLessThan(2 << 20);
  expect(idsOf(heads)).toEqual(["b"]);
  expect(log.read(heads.map(({ position }) => position))).toEqual([user("b", "a", text).entry]);
  log.close();
});

test("a long line without a newline is an entry, and is not held before its body is asked for", () => {
  const path = join(temporaryFolder(), "session.jsonl");
  const { json, entry } = user("b", "a", "x".repeat(5 << 20));
  writeFileSync(path, `${JSON.stringify(header)}\n${user("a").json}\n${json}`);
  const parse = vi.spyOn(JSON, "parse");
  const { log, first } = opened(path);
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(2 << 20);
  parse.mockRestore();
  expect(codesOf(first)).toEqual([]);
  expect(log.read(first.heads.slice(-1).map(({ position }) => position))).toEqual([entry]);
  log.append([[user("c", "b")]]);
  log.close();
  expect(idsIn(path)).toEqual(["a", "b", "c"]);
});

/** Three messages, the second with so many NULs in it, which take no room on the disk. */
function sessionIn(folder: string, { hole }: { readonly hole: number }): string {
  const path = join(folder, "session.jsonl");
  const [before, after] = user("b", "a", "|").json.split("|") as [string, string];
  const fd = openSync(path, "w");
  const front = `${JSON.stringify(header)}\n${user("a").json}\n${before}${"x".repeat(100_000)}`;
  writeSync(fd, front);
  writeSync(fd, `${after}\n${user("c", "b").json}\n`, front.length + hole);
  closeSync(fd);
  return path;
}
