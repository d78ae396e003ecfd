import { buildContextEntries } from "../context/context.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";

/**
 * The entries that a compaction, whoever made it, took out of the context: an earlier compaction first, whose summary
 * it replaced, then in path order. `path` is the whole path to the compaction.
 */
export function droppedEntries(path: readonly SessionTreeEntry[]): readonly SessionTreeEntry[] {
  const shown = new Set(buildContextEntries(path).map((entry) => entry.id));
  return buildContextEntries(path.slice(0, -1)).filter((entry) => !shown.has(entry.id));
}
