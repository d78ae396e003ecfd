import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { hasMemoryDisk, memoryFolder } from "../../support/memory-disk.ts";
import { startProgram } from "../../support/running.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header, idsOf, opened } from "./records.ts";

const program = resolve(import.meta.dirname, "programs/append-many.ts");
const writers = 8;
const entries = process.env.BOUGH_CAMPAIGN ? 10_000 : 400;

test("CC-07 processes that append to one file at once lose nothing, weld nothing, repeat nothing", {
  timeout: process.env.BOUGH_CAMPAIGN ? 3_600_000 : 240_000,
}, async () => {
  const path = join(hasMemoryDisk ? memoryFolder() : temporaryFolder(), "s.jsonl");
  JsonlLog.create(path, header, [], { durability: "process" }).close();
  const running = Array.from({ length: writers }, (_, index) =>
    startProgram(program, [path, `w${index}`, String(entries)]),
  );
  await using stack = new AsyncDisposableStack();
  for (const writer of running) stack.use(writer);
  for (const writer of running) expect(await writer.nextLine()).toBe("ready");
  for (const writer of running) writer.end();
  for (const writer of running) expect(Number(await writer.nextLine())).toBeGreaterThanOrEqual(entries);

  const { log, first } = opened(path);
  expect(first.diagnostics).toEqual([]);
  const expected = running.flatMap((_, writer) => Array.from({ length: entries }, (_, index) => `w${writer}-${index}`));
  expect(idsOf(first.heads).sort()).toEqual(expected.sort());
  expect(countLines(path)).toBe(1 + expected.length);
  for (const { position } of first.heads) {
    const [entry] = log.read([position]);
    if (entry?.type !== "message" || entry.message.role !== "user") throw new Error(`${entry?.id} is ${entry?.type}`);
    expect(entry.message.content.length).toBe(entry.message.timestamp);
  }
  log.close();
});

/** Blank ones not counted: they come where somebody looked while another was writing. */
function countLines(path: string): number {
  const bytes = readFileSync(path);
  let lines = 0;
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
    if (end > start) lines++;
  }
  return lines;
}
