import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DirectoryLog } from "../../../src/storage/directory/index.ts";
import { runProgram } from "../../support/child.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" } as const;
const program = join(import.meta.dirname, "programs/append-many.ts");

test("CC-07 six processes append at once, and everything stored is read by all in one order", async () => {
  const path = join(temporaryFolder(), "s1");
  const watcher = DirectoryLog.create(path, header, [], { durability: "process" });
  const writers = ["a", "b", "c", "d", "e", "f"].map((prefix) => runProgram(program, [path, `${prefix}-`, "50"]));
  const seen = new Set<string>();
  const watching = setInterval(() => {
    for (const head of watcher.changes().heads) seen.add(head.id);
  }, 5);
  const ended = await Promise.all(writers);
  clearInterval(watching);
  for (const { exitCode, stderr } of ended) expect([exitCode, stderr]).toEqual([0, ""]);
  const stored = ended.flatMap(({ stdout }) => stdout.trim().split("\n"));
  expect(stored).toHaveLength(300);
  const { heads, diagnostics } = DirectoryLog.open(path, { durability: "process" }).changes();
  const ids = heads.map((head) => head.id);
  expect([...ids].sort()).toEqual([...stored].sort());
  expect(diagnostics).toEqual([]);
  for (const head of watcher.changes().heads) seen.add(head.id);
  expect([...seen].sort()).toEqual([...stored].sort());
  expect(watcher.read([...ids.keys()]).map((entry) => entry.id)).toEqual(ids);
  expect(readdirSync(join(path, "entries")).every((name) => /^\d{10}-[a-f]-\d+\.json$/.test(name))).toBe(true);
});
