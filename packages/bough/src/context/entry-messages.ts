import type { CompactionEntry, CustomEntry, SessionTreeEntry } from "../entry/entry.ts";
import { kindOf } from "../entry/kind.ts";
import type {
  AgentMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  UserContent,
} from "../entry/message.ts";
import type { SessionContextBuildOptions } from "./options.ts";

/** What an entry contributes to a context; `entries[index]` is `entry`. Stored messages come back as they are. */
export function sessionEntryToContextMessages(
  entry: SessionTreeEntry,
  index: number,
  entries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): readonly AgentMessage[] {
  switch (entry.type) {
    case "message":
      return storedMessage(entry.message);
    case "custom_message":
      return [createCustomMessage(entry.customType, entry.content, entry.display, entry.details, entry.timestamp)];
    case "compaction":
      return compactionMessages(entry);
    case "branch_summary":
      return entry.summary ? [createBranchSummaryMessage(entry.summary, entry.fromId, entry.timestamp)] : [];
    case "custom":
      return projectedMessages(entry, index, entries, options);
    default:
      return [];
  }
}

export function createCompactionSummaryMessage(
  summary: string,
  tokensBefore: number,
  timestamp: string,
): CompactionSummaryMessage {
  return { role: "compactionSummary", summary, tokensBefore, timestamp: milliseconds(timestamp) };
}

export function createBranchSummaryMessage(summary: string, fromId: string, timestamp: string): BranchSummaryMessage {
  return { role: "branchSummary", summary, fromId, timestamp: milliseconds(timestamp) };
}

export function createCustomMessage<TDetails = unknown>(
  customType: string,
  content: UserContent,
  display: boolean,
  details: TDetails | undefined,
  timestamp: string,
): CustomMessage<TDetails> {
  return {
    role: "custom",
    customType,
    content: content ?? [],
    display,
    ...(details !== undefined && { details }),
    timestamp: milliseconds(timestamp),
  };
}

function compactionMessages(entry: CompactionEntry): readonly AgentMessage[] {
  const tail: readonly AgentMessage[] = Array.isArray(entry.retainedTail) ? entry.retainedTail : [];
  return [
    ...storedMessage(entry.systemMessage),
    createCompactionSummaryMessage(entry.summary ?? "", entry.tokensBefore, entry.timestamp),
    ...tail.filter((message) => message?.role !== "system").flatMap(storedMessage),
  ];
}

function projectedMessages(
  entry: CustomEntry,
  index: number,
  entries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions,
): readonly AgentMessage[] {
  const projectors = options.entryProjectors;
  if (!projectors || !Object.hasOwn(projectors, entry.customType) || kindOf(entry) === "mark") return [];
  return projectors[entry.customType]?.(entry, index, entries) ?? [];
}

/** Old files hold messages without content; a record without a message at all contributes nothing. */
function storedMessage(message: AgentMessage | null | undefined): readonly AgentMessage[] {
  if (typeof message !== "object" || message === null) return [];
  if ((message as { readonly content?: unknown }).content !== null) return [message];
  return [{ ...message, content: message.role === "system" ? "" : [] } as AgentMessage];
}

function milliseconds(timestamp: string): number {
  return Date.parse(timestamp) || 0;
}
