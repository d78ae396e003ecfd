import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { messageText } from "./message-text.ts";

export const outlineFilters = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;

export type OutlineFilter = (typeof outlineFilters)[number];

/**
 * What only the body tells: `silent` is a reply without a word that ended in order, `concealed` a message its author
 * marked as not for people. Both are shown by `all` alone; a silent reply also where the conversation stands.
 */
export type Reticence = "silent" | "concealed";

export function reticenceOf(entry: SessionTreeEntry): Reticence | undefined {
  if (entry.type === "custom_message") return entry.display === false ? "concealed" : undefined;
  if (entry.type !== "message") return undefined;
  const { message } = entry;
  if (message.role === "custom") return message.display === false ? "concealed" : undefined;
  if (message.role !== "assistant" || !endedInOrder(message.stopReason)) return undefined;
  return messageText(message).trim() === "" ? "silent" : undefined;
}

export interface FilterCandidate {
  readonly head: EntryHead;
  readonly reticence: Reticence | undefined;
  readonly isLeaf: boolean;
  readonly isLabeled: boolean;
}

export function isShown(filter: OutlineFilter, candidate: FilterCandidate): boolean {
  if (filter === "all") return true;
  const { head, reticence } = candidate;
  if (reticence === "concealed" || (reticence === "silent" && !candidate.isLeaf)) return false;
  switch (filter) {
    case "default":
      return !isSetting(head);
    case "no-tools":
      return !isSetting(head) && !(head.type === "message" && head.role === "toolResult");
    case "user-only":
      return head.type === "message" && head.role === "user";
    case "labeled-only":
      return candidate.isLabeled;
  }
}

/** oh-my-pi's types of this sort that bough has no use for. */
const foreignSettings: ReadonlySet<string> = new Set(["service_tier_change", "mode_change"]);

function isSetting(head: EntryHead): boolean {
  const kind = kindOf(head);
  return kind === "state" || kind === "mark" || foreignSettings.has(head.type);
}

function endedInOrder(stopReason: unknown): boolean {
  return stopReason === undefined || stopReason === null || stopReason === "stop" || stopReason === "toolUse";
}
