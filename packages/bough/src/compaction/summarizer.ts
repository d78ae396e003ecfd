import type { AgentMessage, AssistantContent, StopReason } from "../entry/message.ts";
import type { Usage } from "../entry/usage.ts";
import type { FileOperations } from "./file-operations.ts";

/** What is to be summarised. */
export interface SummaryRequest {
  /** `compaction`: it will stand for the start of a path. `branch`: for one that is left. */
  readonly kind: "compaction" | "branch";
  /** In order; whole turns, or as much of a branch as fits. */
  readonly messages: readonly AgentMessage[];
  /** The beginning of a turn whose end stays word for word; empty unless the cut goes through a turn. */
  readonly turnPrefix: readonly AgentMessage[];
  /** The summary that stood for what was before, to be brought up to date; without its lists of files. */
  readonly previousSummary?: string;
  /** What happened to files, earlier summaries included. The lists are put below the summary, whoever writes it. */
  readonly files: FileOperations;
  /** What the user wants it to say, or (`replaceInstructions`) all that a model is told to write. */
  readonly instructions?: string;
  readonly replaceInstructions?: boolean;
}

/** An assistant message of any provider is one. */
export interface SummaryReply {
  readonly content: string | AssistantContent;
  /** `stop` unless given. */
  readonly stopReason?: StopReason;
  readonly errorMessage?: string;
  readonly usage?: Usage;
}

/**
 * Writes summaries. What it answers is checked before anything is stored: it must have text, have come to its own end
 * and call no tools. It may reject; with `signal.reason` when aborted.
 */
export type Summarizer = (request: SummaryRequest, signal?: AbortSignal) => Promise<SummaryReply>;

/** One request to a model that is offered no tools. */
export interface SummaryPrompt {
  readonly part: "history" | "turn" | "branch";
  readonly systemPrompt: string;
  readonly text: string;
}

/** Asks a model, and answers as it did, failures included. */
export type SummaryModel = (prompt: SummaryPrompt, signal?: AbortSignal) => Promise<SummaryReply>;
