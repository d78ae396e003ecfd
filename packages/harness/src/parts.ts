import type { Models, RetryPolicy, SimpleStreamOptions } from "@earendil-works/pi-ai";
import type { CompactionPolicy, Session, Summarizer } from "bough";
import type { Activity } from "./activity.ts";
import type { Hooks } from "./hooks/hooks.ts";
import type { Inbox, QueueMode } from "./inbox.ts";
import type { Journal } from "./operations/journal.ts";
import type { Settings } from "./settings.ts";

export type SystemPrompt = string | (() => string | Promise<string>);

/** What the operations of one harness work with. */
export interface HarnessParts {
  readonly session: Session;
  readonly models: Models;
  readonly hooks: Hooks;
  readonly activity: Activity;
  readonly settings: Settings;
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly systemPrompt: SystemPrompt | undefined;
  readonly streamOptions: SimpleStreamOptions;
  readonly toolExecution: "parallel" | "sequential";
  readonly retry: RetryPolicy;
  readonly maxAttempts: number;
  readonly compaction: CompactionPolicy;
  readonly summarizer: Summarizer | undefined;
  /** Milliseconds. */
  readonly abortGrace: number;
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
}
