import type { Api, Model, Models, RetryPolicy, SimpleStreamOptions } from "@earendil-works/pi-ai";
import type { CompactionPolicy, Session, Summarizer, ThinkingLevel } from "bough";
import type { QueueMode } from "./inbox.ts";
import type { SystemPrompt } from "./parts.ts";
import type { HarnessTool } from "./tools.ts";

export interface HarnessOptions {
  /** Stays the caller's: it is not closed with the harness. */
  readonly session: Session;
  /** Providers, catalogue and keys. */
  readonly models: Models;
  /** The session's own unless given. */
  readonly model?: Model<Api>;
  readonly thinkingLevel?: ThinkingLevel;
  readonly tools?: readonly HarnessTool[];
  /** The session's own unless given, else all tools. */
  readonly activeToolNames?: readonly string[];
  readonly systemPrompt?: SystemPrompt;
  /** For every request; what the harness decides itself (signal, session, thinking) wins. */
  readonly streamOptions?: SimpleStreamOptions;
  /** Of transient failures; three times, after two, four and eight seconds, unless given. */
  readonly retry?: Partial<RetryPolicy>;
  /** How often a run may end its process before it is parked; 3 unless given. */
  readonly maxAttempts?: number;
  /** When the context is compacted by itself, and how much then stays. */
  readonly compaction?: CompactionPolicy;
  /** Writes the summaries; the model in force unless given. */
  readonly summarizer?: Summarizer;
  /** `parallel` unless given. */
  readonly toolExecution?: "parallel" | "sequential";
  /** `one-at-a-time` unless given. */
  readonly steeringMode?: QueueMode;
  readonly followUpMode?: QueueMode;
  /** Milliseconds a tool has to end once it was aborted; 5,000 unless given. */
  readonly abortGrace?: number;
  /** Milliseconds a handler may take; 30,000 unless given. */
  readonly hookTimeout?: number;
  /** What others are told who want to drive the session as well. */
  readonly doing?: string;
}
