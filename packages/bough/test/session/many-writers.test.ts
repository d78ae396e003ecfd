import { join } from "node:path";
import { expect, test } from "vitest";
import { asyncLog, type Session } from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { runProgram } from "../support/child.ts";
import { sessionOn } from "../support/session-on.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const program = join(import.meta.dirname, "programs/write-at-once.ts");
const writers = ["a", "b", "c", "d", "e", "f", "g", "h"];
const appends = 400;

interface Written {
  readonly acknowledged: readonly string[];
  readonly leafId: string | null;
}

async function openAt(path: string): Promise<Session> {
  return await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process" })));
}

async function writeAtOnce(path: string, ...more: string[]): Promise<readonly Written[]> {
  const runs = writers.map((writer) => runProgram(program, [path, writer, String(appends), ...more]));
  return (await Promise.all(runs)).map(({ exitCode, stdout, stderr }) => {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return JSON.parse(stdout) as Written;
  });
}

function newSession(): string {
  const path = join(temporaryFolder(), "session.jsonl");
  JsonlLog.create(path, newHeader({ cwd: "/w" }), [], { durability: "process" }).close();
  return path;
}

test("CC-01 CC-07 eight processes append to one session at once and nothing is lost", {
  timeout: 240_000,
}, async () => {
  const path = newSession();
  const written = await writeAtOnce(path);
  const session = await openAt(path);
  const stored = new Set((await session.findEntries("message")).map(({ id }) => id));
  expect(stored.size).toBe(writers.length * appends);
  expect(session.diagnostics).toEqual([]);
  for (const { acknowledged, leafId } of written) {
    expect(acknowledged.every((id) => stored.has(id))).toBe(true);
    expect(leafId).toBe(acknowledged.at(-1));
    expect((await session.getBranch(leafId)).slice(-appends).map(({ id }) => id)).toEqual(acknowledged);
  }
});

test("the same with labels and moves, under the eyes of a reader", { timeout: 240_000 }, async () => {
  const path = newSession();
  const reader = await openAt(path);
  const first = await reader.appendMessage({ role: "user", content: "start" });
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { id } of reader.watch({ signal: stop.signal, interval: 20 })) seen.push(id);
  })();
  const written = await writeAtOnce(path, "marks");
  const session = await openAt(path);
  const entries = await session.getEntries();
  const deadline = Date.now() + 10_000;
  while (seen.length < entries.length - 1 && Date.now() < deadline) await new Promise((go) => setTimeout(go, 20));
  stop.abort(new Error("seen enough"));
  await expect(watching).rejects.toThrow("seen enough");
  expect(seen).toEqual(entries.map(({ id }) => id).filter((id) => id !== first));
  expect(session.diagnostics).toEqual([]);
  const stored = new Set(entries.map(({ id }) => id));
  for (const { acknowledged, leafId } of written) {
    expect(acknowledged.every((id) => stored.has(id))).toBe(true);
    expect((await session.getBranch(leafId)).every(({ type }) => type === "message")).toBe(true);
  }
  const labels = entries.filter(({ type }) => type === "label");
  expect(labels).toHaveLength((writers.length * appends) / 10);
  expect(reader.leafId).toBe(first);
});
