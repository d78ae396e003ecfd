import type { AgentMessage, SystemMessage, ThinkingLevel, UserContent } from "./message.ts";
import type { Usage } from "./usage.ts";

/** What every entry has. Entries never change; ids are opaque; order comes from the log and from parents, never from ids or clocks. */
export interface SessionTreeEntryBase {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface MessageEntry extends SessionTreeEntryBase {
  readonly type: "message";
  readonly message: AgentMessage;
  /** A host's own message, verbatim, where `message` can't be turned back into it. */
  readonly native?: { readonly format: string; readonly value: unknown };
}

/** A summary that stands for the start of its path. */
export interface CompactionEntry<TDetails = unknown> extends SessionTreeEntryBase {
  readonly type: "compaction";
  readonly summary: string;
  /** First entry of the path that is kept verbatim; the own id keeps nothing. */
  readonly firstKeptEntryId?: string;
  /** Kept messages stored inline; present (even empty) it replaces `firstKeptEntryId`. */
  readonly retainedTail?: readonly AgentMessage[];
  readonly tokensBefore: number;
  readonly tokensAfter?: number;
  readonly details?: TDetails;
  readonly usage?: Usage;
  readonly preserveData?: unknown;
  readonly systemMessage?: SystemMessage;
  /** The state in force at this point, so that nobody has to read above it. */
  readonly state?: CompactionState;
  readonly fromHook?: boolean;
}

export interface CompactionState {
  readonly model: ModelRef | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly activeToolNames: readonly string[] | null;
  readonly injectedRules: readonly string[];
}

export interface ModelRef {
  readonly provider: string;
  readonly modelId: string;
}

/** What an abandoned branch leaves behind. `fromId` is the leaf that was left, `"root"` if there was none. */
export interface BranchSummaryEntry<TDetails = unknown> extends SessionTreeEntryBase {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: TDetails;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

export interface CustomMessageEntry<TDetails = unknown> extends SessionTreeEntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: UserContent;
  readonly display: boolean;
  readonly details?: TDetails;
}

/** An application's own data; not sent to the model unless a projector turns it into messages. */
export interface CustomEntry<TData = unknown> extends SessionTreeEntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: TData;
}

export interface ModelChangeEntry extends SessionTreeEntryBase {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
  /** `provider/modelId`, as oh-my-pi reads it. */
  readonly model?: string;
  /** Only changes without a role, or of role `default`, set the model of the context. */
  readonly role?: string;
}

export interface ThinkingLevelChangeEntry extends SessionTreeEntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: ThinkingLevel;
}

export interface ActiveToolsChangeEntry extends SessionTreeEntryBase {
  readonly type: "active_tools_change";
  readonly activeToolNames: readonly string[];
}

/** Replaces what an earlier entry of this path contributes to the context; null omits it. */
export interface ContextEditEntry extends SessionTreeEntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: unknown } | null;
}

export interface SessionInitEntry extends SessionTreeEntryBase {
  readonly type: "session_init";
  readonly systemPrompt: string;
  readonly task: string;
  readonly tools: readonly string[];
  readonly outputSchema?: unknown;
}

export interface TtsrInjectionEntry extends SessionTreeEntryBase {
  readonly type: "ttsr_injection";
  readonly injectedRules: readonly string[];
}

/** oh-my-pi's `/clear`: the context starts after it. */
export interface ResetBoundaryEntry extends SessionTreeEntryBase {
  readonly type: "reset_boundary";
}

/** One label an entry, the last wins; an absent or blank label clears. */
export interface LabelEntry extends SessionTreeEntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

export interface SessionInfoEntry extends SessionTreeEntryBase {
  readonly type: "session_info";
  readonly name?: string;
}

export interface LeafEntry extends SessionTreeEntryBase {
  readonly type: "leaf";
  readonly targetId: string | null;
}

/** Cost of a call that is no message of the conversation. */
export interface UsageEntry extends SessionTreeEntryBase {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly note?: string;
}

/** oh-my-pi's `usage`. */
export interface ModelUsageEntry extends SessionTreeEntryBase {
  readonly type: "model_usage";
  readonly purpose?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: Usage;
}

/** The account of a provider, as a hash, that oh-my-pi goes on with. */
export interface CredentialPinEntry extends SessionTreeEntryBase {
  readonly type: "credential_pin";
  readonly provider: string;
  readonly hash: string;
}

/** oh-my-pi's rename. */
export interface TitleChangeEntry extends SessionTreeEntryBase {
  readonly type: "title_change";
  readonly title: string;
}

/**
 * Stands for a stored record whose head could be read and whose body could not: it keeps its place among parents
 * and children and contributes nothing.
 */
export interface DamagedEntry extends SessionTreeEntryBase {
  readonly type: "damaged";
  readonly originalType: string;
}

/**
 * The entries bough knows. Stored sessions may hold others: they are kept byte for byte, have a place in the tree and
 * contribute nothing, so a `switch` over `type` needs a default.
 */
export type SessionTreeEntry =
  | MessageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomMessageEntry
  | CustomEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | ActiveToolsChangeEntry
  | ContextEditEntry
  | SessionInitEntry
  | TtsrInjectionEntry
  | ResetBoundaryEntry
  | LabelEntry
  | SessionInfoEntry
  | LeafEntry
  | UsageEntry
  | ModelUsageEntry
  | TitleChangeEntry
  | CredentialPinEntry
  | DamagedEntry;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What a caller decides about an entry; the session adds id, parent and time. */
export type EntryDraft = DistributiveOmit<SessionTreeEntry, "id" | "parentId" | "timestamp">;
