import type { SessionTreeEntry } from "../entry/entry.ts";
import { isReservedCustomType } from "../entry/kind.ts";

/**
 * What an acknowledged entry survives. `process`: the death of this process. `turn`: also a power loss, for entries that
 * a person or a model would miss and all before them. `power`: also a power loss, for every entry.
 */
export type Durability = "process" | "turn" | "power";

const syncedTypes: ReadonlySet<string> = new Set([
  "custom_message",
  "compaction",
  "branch_summary",
  "label",
  "session_info",
  "leaf",
]);

/** Whether `entry` is acknowledged only after a sync. */
export function isSynced(entry: SessionTreeEntry, durability: Durability): boolean {
  if (durability !== "turn") return durability === "power";
  if (entry.type === "message") return entry.message.role === "user" || entry.message.role === "assistant";
  if (entry.type === "custom") return isReservedCustomType(entry.customType);
  return syncedTypes.has(entry.type);
}
