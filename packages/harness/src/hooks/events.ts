import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import type {
  AgentHarnessError,
  AgentMessage,
  AssistantMessage,
  BranchSummaryEntry,
  CompactionEntry,
  ModelRef,
  SessionTreeEntry,
  ThinkingLevel,
  ToolResultMessage,
} from "bough";

/** Why a compaction was made. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** What a request that failed was made for. */
export type RetriedOperation = "turn" | "compaction" | "branch_summary";

/** How a run ended. What the model or a tool did wrong is data here, never a rejection. */
export type RunStatus = "answered" | "aborted" | "failed";

/**
 * What a harness tells those who watch. Every message and entry in an event is stored before the event is sent, but
 * for `message_start` and `message_update`, which show a reply while it arrives.
 */
export interface HarnessEvents {
  agent_start: object;
  /** The run is over. `messages` are those it added, in the order they were stored. */
  agent_end: { readonly status: RunStatus; readonly messages: readonly AgentMessage[] };
  /** A turn is one reply and its tool results. */
  turn_start: object;
  turn_end: { readonly message: AssistantMessage; readonly toolResults: readonly ToolResultMessage[] };
  message_start: { readonly message: AgentMessage };
  message_update: { readonly message: AssistantMessage; readonly assistantMessageEvent: AssistantMessageEvent };
  message_end: { readonly message: AgentMessage; readonly entryId: string };
  tool_execution_start: { readonly toolCallId: string; readonly toolName: string; readonly args: unknown };
  tool_execution_update: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly args: unknown;
    readonly partialResult: unknown;
  };
  tool_execution_end: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly result: unknown;
    readonly isError: boolean;
    readonly entryId: string;
    readonly durationMs?: number;
  };
  /** What waits to be said, after every change. */
  queue_update: {
    readonly steer: readonly AgentMessage[];
    readonly followUp: readonly AgentMessage[];
    readonly nextTurn: readonly AgentMessage[];
  };
  /** A turn is stored whole, and what was asked for during it as well. */
  save_point: { readonly hadPendingMutations: boolean };
  abort: { readonly clearedSteer: readonly AgentMessage[]; readonly clearedFollowUp: readonly AgentMessage[] };
  /** The harness is idle again. */
  settled: { readonly nextTurnCount: number };
  after_provider_response: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  retry_scheduled: {
    readonly operation: RetriedOperation;
    readonly attempt: number;
    readonly maxAttempts: number;
    readonly delayMs: number;
    readonly errorMessage: string;
  };
  retry_attempt_start: { readonly operation: RetriedOperation; readonly attempt: number };
  retry_finished: {
    readonly operation: RetriedOperation;
    readonly success: boolean;
    readonly attempt: number;
    readonly finalError?: string;
  };
  compaction_start: { readonly reason: CompactionReason };
  /** Says what is stored: a result if and only if there is an entry. */
  compaction_end: {
    readonly reason: CompactionReason;
    readonly compactionEntry?: CompactionEntry;
    readonly aborted: boolean;
    readonly willRetry: boolean;
    readonly errorMessage?: string;
  };
  session_compact: {
    readonly compactionEntry: CompactionEntry;
    readonly reason: CompactionReason;
    readonly fromHook: boolean;
    /** As `fromHook`, under the name that extensions know. */
    readonly fromExtension: boolean;
  };
  session_tree: {
    readonly newLeafId: string | null;
    readonly oldLeafId: string | null;
    readonly summaryEntry?: BranchSummaryEntry;
    readonly fromHook?: boolean;
    readonly fromExtension?: boolean;
  };
  model_update: {
    readonly model: ModelRef;
    readonly previousModel: ModelRef | null;
    readonly source: "set" | "restore";
  };
  thinking_level_update: { readonly level: ThinkingLevel; readonly previousLevel: ThinkingLevel };
  tools_update: {
    readonly toolNames: readonly string[];
    readonly previousToolNames: readonly string[];
    readonly activeToolNames: readonly string[];
    readonly previousActiveToolNames: readonly string[];
    readonly source: "set" | "restore";
  };
  /** An entry that no message event speaks of: state, custom data, a label. */
  entry_appended: { readonly entry: SessionTreeEntry };
  session_start: { readonly reason: SessionStartReason; readonly previousSessionFile?: string };
  session_shutdown: { readonly reason: SessionShutdownReason; readonly targetSessionFile?: string };
  /** A handler threw or took too long. `hook` is the name of what it was called for. */
  hook_error: { readonly hook: string; readonly source?: string; readonly error: AgentHarnessError<"hook"> };
}

export type SessionStartReason = "startup" | "new" | "resume" | "fork";
export type SessionShutdownReason = "quit" | "new" | "resume" | "fork";

export type HarnessEventName = keyof HarnessEvents;
export type HarnessEventOf<K extends HarnessEventName> = { readonly type: K } & HarnessEvents[K];
export type HarnessEvent = { [K in HarnessEventName]: HarnessEventOf<K> }[HarnessEventName];
