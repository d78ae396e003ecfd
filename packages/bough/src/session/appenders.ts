import { completeMessage } from "../entry/build.ts";
import type {
  BranchSummaryEntry,
  CompactionEntry,
  ContextEditEntry,
  CustomMessageEntry,
  EntryDraft,
  SessionInitEntry,
  UsageEntry,
} from "../entry/entry.ts";
import { jsonCopy } from "../entry/json.ts";
import { isEditableRole, isReservedCustomType } from "../entry/kind.ts";
import type { MessageInput, ThinkingLevel } from "../entry/message.ts";
import { SessionError } from "../errors.ts";
import { sessionName } from "../tree/session-tree.ts";
import type { Composer } from "./append-request.ts";
import { carriedAt } from "./context-reading.ts";
import type { SessionState } from "./session-state.ts";

/** What each appender writes, as pure functions that the asynchronous and the synchronous face share. */

export type CompactionInput = Omit<CompactionEntry, keyof EntryBase | "type" | "state">;
export type BranchSummaryInput = Omit<BranchSummaryEntry, keyof EntryBase | "type" | "fromId"> & {
  /** The leaf that was left; the one before the summary unless said otherwise. */
  readonly fromId?: string;
};
export type CustomMessageInput = Omit<CustomMessageEntry, keyof EntryBase | "type" | "display"> & {
  /** True unless said otherwise. */
  readonly display?: boolean;
};
export type UsageInput = Omit<UsageEntry, keyof EntryBase | "type">;
export type SessionInitInput = Omit<SessionInitEntry, keyof EntryBase | "type">;

interface EntryBase {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

export function message(input: MessageInput, now: number): EntryDraft {
  return { type: "message", message: completeMessage(input, now) };
}

export function modelChange(provider: string, modelId: string): EntryDraft {
  return { type: "model_change", provider, modelId, model: `${provider}/${modelId}` };
}

export function thinkingLevelChange(thinkingLevel: ThinkingLevel): EntryDraft {
  return { type: "thinking_level_change", thinkingLevel };
}

export function activeToolsChange(activeToolNames: readonly string[]): EntryDraft {
  return { type: "active_tools_change", activeToolNames: [...activeToolNames] };
}

/**
 * Without a kept entry nothing is kept, written as the compaction's own id so that every reader agrees. The state in force
 * is stored with it, and the system prompt of the path unless the input has one.
 */
export function compaction(input: CompactionInput, state: SessionState): Composer {
  return function* (turn) {
    const { firstKeptEntryId = turn.id, ...rest } = input;
    if (firstKeptEntryId !== turn.id) state.requireHead(firstKeptEntryId);
    const { systemMessage, ...carried } = jsonCopy(yield* carriedAt(state, turn.parentId));
    return { type: "compaction", ...(systemMessage && { systemMessage }), ...rest, firstKeptEntryId, ...carried };
  };
}

export function branchSummary(input: BranchSummaryInput): Composer {
  return ({ left }) => ({ type: "branch_summary", ...input, fromId: input.fromId ?? left ?? "root" });
}

export function customEntry(customType: string, data: unknown): EntryDraft {
  if (isReservedCustomType(customType)) {
    const reason = `custom types that begin with "bough." are bough's own`;
    throw new SessionError("invalid_entry", reason, { field: "customType", reason });
  }
  return { type: "custom", customType, ...(data !== undefined && { data }) };
}

export function customMessage(input: CustomMessageInput): EntryDraft {
  return { type: "custom_message", ...input, display: input.display ?? true };
}

/** Refuses targets that are not on the path (`not_found` if nowhere) and entries whose content can't be edited. */
export function contextEdit(
  targetId: string,
  replacement: ContextEditEntry["replacement"],
  state: SessionState,
): Composer {
  return function* ({ parentId }) {
    const head = yield* state.provenHead(targetId);
    const reason = !isEditableRole(head.type, head.role)
      ? `the content of ${targetId} can't be edited`
      : !state.isMetFrom(parentId, targetId) && `${targetId} is not on the path`;
    if (reason) throw new SessionError("invalid_entry", reason, { field: "targetId", reason });
    return { type: "context_edit", targetId, replacement };
  };
}

/** A blank label clears. */
export function label(targetId: string, text: string | undefined): EntryDraft {
  const trimmed = text?.trim();
  return { type: "label", targetId, ...(trimmed && { label: trimmed }) };
}

/** A blank name clears. */
export function sessionInfo(name: string): EntryDraft {
  return { type: "session_info", name: sessionName(name) ?? "" };
}

export function usage(input: UsageInput): EntryDraft {
  return { type: "usage", ...input };
}

export function sessionInit(input: SessionInitInput): EntryDraft {
  return { type: "session_init", ...input };
}

export function ttsrInjection(injectedRules: readonly string[]): EntryDraft {
  return { type: "ttsr_injection", injectedRules: [...injectedRules] };
}
