import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../packages/bough/src/testing/random.ts";
import { Author } from "./generate/author.ts";
import type { FolderPlan, SessionPlan, ShapeName } from "./generate/plan.ts";
import { shapes } from "./generate/shape.ts";
import { Wordsmith } from "./generate/text.ts";

const flushAt = 4 << 20;

/** Writes a session file; it gets its name when it is whole. */
export function writeSession(path: string, plan: SessionPlan): void {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(`${path}.part`, "w");
  let text = "";
  for (const line of new Author(plan).lines()) {
    text += `${line}\n`;
    if (text.length < flushAt) continue;
    writeSync(fd, text);
    text = "";
  }
  writeSync(fd, text);
  closeSync(fd);
  renameSync(`${path}.part`, path);
}

export function writeFolder(folder: string, { sessions, seed, entries = 36 }: FolderPlan): void {
  const smith = new Wordsmith(new Random(seed));
  for (let number = 0; number < sessions; number++) {
    const begin = Date.UTC(2026, 0, 1) + number * 600_000;
    const time = new Date(begin).toISOString().replace(/[:.]/g, "-");
    const size = Math.round(entries * Math.exp(normal(smith) - 0.5));
    const name = `${time}_${smith.hex(8)}-0000-7000-a000-${String(number).padStart(12, "0")}.jsonl`;
    writeSession(join(folder, name), { entries: Math.min(600, Math.max(4, size)), seed: seed + number, begin });
  }
}

function normal({ random }: Wordsmith): number {
  return Math.sqrt(-2 * Math.log(1 - random.below(1))) * Math.cos(2 * Math.PI * random.below(1));
}

/** `generate.ts FILE --entries N` or `generate.ts FOLDER --sessions N`, both with `--seed`, `--shape pi|bough`. */
if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      entries: { type: "string" },
      sessions: { type: "string" },
      seed: { type: "string", default: "1" },
      shape: { type: "string", default: "pi" },
      "no-compaction": { type: "boolean", default: false },
    },
  });
  const [target] = positionals;
  if (target === undefined || !(values.shape in shapes)) throw new Error("usage: generate.ts PATH --entries N");
  const seed = Number(values.seed);
  if (values.sessions !== undefined) writeFolder(target, { sessions: Number(values.sessions), seed });
  else {
    const shape = values.shape as ShapeName;
    writeSession(target, { entries: Number(values.entries), seed, shape, isCompacted: !values["no-compaction"] });
  }
}
