import { type AssistantMessage, type RetryPolicy, retryAssistantCall } from "@earendil-works/pi-ai";
import {
  extractiveSummarizer,
  type ModelSummarizerOptions,
  modelSummarizer,
  type Summarizer,
  type SummaryModel,
} from "bough";
import { compactionSettingsOf } from "./compaction-settings.ts";
import type { RetriedOperation } from "./hooks/events.ts";
import type { HarnessParts } from "./parts.ts";

/** The caller's summariser, else the model in force in bough's words, else what is said without any model. */
export function summarizerOf(parts: HarnessParts, operation: RetriedOperation): Summarizer {
  if (parts.summarizer) return parts.summarizer;
  const { model } = parts.settings.values;
  return model ? modelSummarizer(askModel(parts, operation), recordLimit(parts, model)) : extractiveSummarizer;
}

/** A quarter of the room beside the reserve is left to the instructions, an earlier summary and a wrong estimate. */
function recordLimit(
  parts: HarnessParts,
  { contextWindow }: { readonly contextWindow: number },
): ModelSummarizerOptions {
  if (!(contextWindow > 0)) return {};
  const room = contextWindow - compactionSettingsOf(parts).reserveTokens;
  return { inputTokens: Math.floor(room * 0.75) };
}

/** Asks the model in force, offers it no tools, and tries again as the harness does for its turns. */
function askModel(
  { models, settings, retry, hooks, session }: HarnessParts,
  operation: RetriedOperation,
): SummaryModel {
  const { model } = settings.values;
  if (!model) throw new Error("no model is set");
  return async ({ part, systemPrompt, text }, signal) => {
    const context = { systemPrompt, messages: [{ role: "user" as const, content: text, timestamp: Date.now() }] };
    const options = {
      maxRetries: 0,
      identity: { attribution: null },
      cacheRetention: "none" as const,
      // Its own, so that the conversation's place in a provider's cache stays what it is.
      sessionId: `${session.id}-${part}`,
      ...(signal && { signal }),
    };
    const ask = () => models.completeSimple(model, context, options);
    return (await retried(ask, retry, signal, hooks, operation)) as AssistantMessage & { content: never };
  };
}

async function retried(
  ask: () => Promise<AssistantMessage>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  hooks: HarnessParts["hooks"],
  operation: RetriedOperation,
): Promise<AssistantMessage> {
  let attempt = 0;
  return await retryAssistantCall(ask, policy, signal, {
    onRetryScheduled: async (number, maxAttempts, delayMs, errorMessage) => {
      attempt = number;
      await hooks.emit({ type: "retry_scheduled", operation, attempt, maxAttempts, delayMs, errorMessage });
    },
    onRetryAttemptStart: () => hooks.emit({ type: "retry_attempt_start", operation, attempt }),
    onRetryFinished: (success, number, finalError) =>
      hooks.emit({
        type: "retry_finished",
        operation,
        success,
        attempt: number,
        ...(finalError !== undefined && { finalError }),
      }),
  });
}
