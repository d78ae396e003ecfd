import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../../..");

/** The rules that a repository of these sources under packages breaks. */
async function broken(sources: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = temporaryFolder();
  for (const file of [".dependency-cruiser.mjs", "tsconfig.json", "tsconfig.base.json"]) {
    copyFileSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [path, source] of Object.entries(sources)) {
    const file = join(folder, "packages", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source);
  }
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const args = [program, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "packages"];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 });
  const { stdout } = await run.catch((failed) => failed);
  const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } };
  return [...new Set(summary.violations.map((violation) => violation.rule.name))].sort();
}

test("the import table lets through what points down", async () => {
  const sources = {
    "bough/src/entry/a.ts": "export const a = 1;",
    "bough/src/tree/b.ts": `export { a } from "../entry/a.ts";`,
    "bough/src/session/c.ts": `export { a } from "../tree/b.ts";`,
    "bough/src/storage/jsonl/d.ts": `import "node:fs"; export { a } from "../../session/c.ts";`,
  };
  expect(await broken(sources)).toEqual([]);
});

test("the import table catches arrows that point up, strangers, back doors, Node, cycles and dependencies", async () => {
  const sources = {
    "bough/src/entry/a.ts": `import "../tree/b.ts"; export const a = 1;`,
    "bough/src/tree/b.ts": `import "node:fs"; export type B = 1;`,
    "bough/src/session/c.ts": `import "../storage/jsonl/d.ts";`,
    "bough/src/storage/jsonl/d.ts": `import "../memory/e.ts";`,
    "bough/src/storage/memory/e.ts": `import type { F } from "./f.ts"; export type E = F;`,
    "cli/src/main.ts": `import "../../bough/src/tree/b.ts";`,
    "bough/src/storage/memory/f.ts": `import type { E } from "./e.ts"; import "vite"; export type F = E;`,
  };
  expect(await broken(sources)).toEqual([
    "by-the-front-doors",
    "engine-without-dependencies",
    "entry-may-import",
    "no-cycles",
    "node-only-in-storages",
    "session-may-import",
    "storages-are-strangers",
  ]);
});
