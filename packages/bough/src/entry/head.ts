import type { EntryDraft, SessionTreeEntry } from "./entry.ts";
import { type UsageFigures, usageFigures } from "./usage.ts";

/** Where a log keeps an entry. Opaque above the log, and void after the log was replaced. */
export type Position = number;

/**
 * An entry without its body: all that the tree, labels, names, the leaf and statistics need. A log hands heads out on
 * its own, so that nobody above it holds the bodies of a whole history.
 */
export interface EntryHead {
  readonly position: Position;
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly timestamp: string;
  /** Of a message; of a model change the role it is for. */
  readonly role?: string;
  readonly customType?: string;
  /**
   * The entry it is about: of a label, a leaf (null: before any entry), a context edit; of a compaction what it keeps first,
   * of a branch summary where the branch was left.
   */
  readonly targetId?: string | null;
  /** The label, the session's name or title. */
  readonly text?: string;
  /** Usage of a reply, a summary, a tool result or a side call. Absent where unknown. */
  readonly usage?: UsageFigures;
  /**
   * Only the front of the record was looked at: `usage` is not known yet, and the record may turn out damaged when its
   * body is read.
   */
  readonly unread?: true;
  /** The record has members of oh-my-pi's instead of those that the entry is given out with. */
  readonly isTranslated?: true;
}

/** What a head says beside where its entry is kept. */
export type HeadContent = Omit<EntryHead, "position">;

/** What a head says of the body. */
export type HeadParticulars = Omit<HeadContent, "id" | "parentId" | "type" | "timestamp">;

/** The head of an entry that a log keeps at `position`. */
export function headOf(entry: SessionTreeEntry, position: Position): EntryHead {
  const { id, parentId, type, timestamp } = entry;
  // Most entries are messages, and to gather members of theirs takes longer than all else here.
  if (entry.type !== "message") return { position, id, parentId, type, timestamp, ...particulars(entry) };
  const { role } = entry.message;
  const usage = usageFigures(messageUsage(entry.message));
  if (usage === undefined) return { position, id, parentId, type, timestamp, role };
  return { position, id, parentId, type, timestamp, role, usage };
}

/** The same of what is known of the entry already. */
export function headAt(position: Position, content: HeadContent): EntryHead {
  const { id, parentId, type, timestamp, role, usage } = content;
  if (type !== "message" || role === undefined) return { position, ...content };
  if (usage === undefined) return { position, id, parentId, type, timestamp, role };
  return { position, id, parentId, type, timestamp, role, usage };
}

export function headContent(entry: SessionTreeEntry): HeadContent {
  const { id, parentId, type, timestamp } = entry;
  return { id, parentId, type, timestamp, ...headParticulars(entry) };
}

export function headParticulars(entry: EntryDraft): HeadParticulars {
  if (entry.type !== "message") return particulars(entry);
  const { role } = entry.message;
  const usage = usageFigures(messageUsage(entry.message));
  return usage === undefined ? { role } : { role, usage };
}

function particulars(entry: Exclude<EntryDraft, { readonly type: "message" }>): HeadParticulars {
  switch (entry.type) {
    case "compaction":
      return { ...usageOf(entry.usage), ...targetOf(entry.firstKeptEntryId), ...translationOf(entry) };
    case "branch_summary":
      return { ...usageOf(entry.usage), ...targetOf(entry.fromId), ...translationOf(entry) };
    case "usage":
    case "model_usage":
      return usageOf(entry.usage);
    case "custom":
    case "custom_message":
      return { customType: entry.customType };
    case "model_change":
      return { ...(typeof entry.role === "string" && { role: entry.role }), ...translationOf(entry) };
    case "label":
      return { targetId: entry.targetId, ...textOf(entry.label) };
    case "leaf":
    case "context_edit":
      return { targetId: entry.targetId };
    case "session_info":
      return textOf(entry.name);
    case "title_change":
      return textOf(entry.title);
    default:
      return {};
  }
}

/** A reply whose provider was never named carries the zeros an appender filled in, which say nothing. */
function messageUsage(message: { readonly role: string }): unknown {
  const { usage, provider } = message as { readonly usage?: unknown; readonly provider?: unknown };
  if (provider !== "unknown") return usage;
  const figures = usageFigures(usage);
  const filledIn = figures !== undefined && Object.values(figures).every((value) => !value);
  return filledIn ? undefined : usage;
}

function usageOf(stored: unknown): HeadParticulars {
  const usage = usageFigures(stored);
  return usage === undefined ? {} : { usage };
}

function targetOf(id: unknown): HeadParticulars {
  return typeof id === "string" ? { targetId: id } : {};
}

/** What is translated keeps what it was translated from. */
function translationOf(entry: object): HeadParticulars {
  return "fromExtension" in entry || "model" in entry ? { isTranslated: true } : {};
}

function textOf(text: unknown): HeadParticulars {
  return typeof text === "string" ? { text } : {};
}
