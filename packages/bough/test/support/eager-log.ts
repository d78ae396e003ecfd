import { asyncLog } from "../../src/session/async-log.ts";
import type { EntryLog } from "../../src/session/entry-log.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import type { EndSizes } from "../../src/storage/jsonl/session-file.ts";

/** A log as those know it who never heard of reading from the end: all of it, every line decoded. */
export function eagerLog(path: string): EntryLog {
  const { older: _, ...log } = asyncLog(JsonlLog.open(path, { durability: "process" }));
  return { ...log, header: log.header, changes: () => log.changes() };
}

/** Small ones, so that a file has all kinds of blocks: read whole, by their fronts, and packed. */
export function smallSizes(seed: number): EndSizes {
  const first = 100 + ((seed * 37) % 2000);
  return { first, most: 3 * first, near: ((seed * 13) % 7) * first };
}
