import type { HeadContent } from "../entry/head.ts";
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

const durabilities: readonly Durability[] = ["process", "turn", "power"];

/** What was asked for, by default `turn`. Throws a `TypeError` for anything else, which would be promised and never synced. */
export function durabilityOf(given: Durability = "turn"): Durability {
  if (durabilities.includes(given)) return given;
  throw new TypeError(`durability is none of ${durabilities.join(", ")}: ${String(given)}`);
}

/** Whether the entry of `head` is acknowledged only after a sync. */
export function isSynced({ type, role, customType = "" }: HeadContent, durability: Durability): boolean {
  if (durability !== "turn") return durability === "power";
  if (type === "message") return role === "user" || role === "assistant";
  if (type === "custom") return isReservedCustomType(customType);
  return syncedTypes.has(type);
}
