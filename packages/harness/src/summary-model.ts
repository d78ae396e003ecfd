import {
  type Api,
  type AssistantMessage,
  type Model,
  type Models,
  type RetryPolicy,
  retryAssistantCall,
} from "@earendil-works/pi-ai";
import {
  compactionSettings,
  extractiveSummarizer,
  type ModelSummarizerOptions,
  modelSummarizer,
  type Summarizer,
  type SummaryModel,
} from "bough";
import { compactionSettingsOf } from "./compaction-settings.ts";
import type { RetriedOperation } from "./hooks/events.ts";
import type { HarnessParts } from "./parts.ts";

/** A model that summarises outside any harness, in bough's words. The provider's client retries what is transient. */
export function summarizerOfModel(models: Models, model: Model<Api>): Summarizer {
  const { reserveTokens } = compactionSettings({}, null, model.contextWindow || Number.POSITIVE_INFINITY);
  const ask: SummaryModel = async (request, signal) => {
    const options = { ...requestOptions(signal), maxRetries: 3 };
    return (await models.completeSimple(model, contextOf(request), options)) as SummaryReply;
  };
  return modelSummarizer(ask, recordLimit(model, reserveTokens));
}

/** The caller's summariser, else the model in force in bough's words, else what is said without any model. */
export function summarizerOf(parts: HarnessParts, operation: RetriedOperation): Summarizer {
  if (parts.summarizer) return parts.summarizer;
  const { model } = parts.settings.values;
  if (!model) return extractiveSummarizer;
  return modelSummarizer(
    askModel(parts, model, operation),
    recordLimit(model, compactionSettingsOf(parts).reserveTokens),
  );
}

/** A quarter of the room beside the reserve is left to the instructions, an earlier summary and a wrong estimate. */
function recordLimit({ contextWindow }: Model<Api>, reserveTokens: number): ModelSummarizerOptions {
  if (!(contextWindow > 0)) return {};
  return { inputTokens: Math.floor((contextWindow - reserveTokens) * 0.75) };
}

/** Asks the model in force and tries again as the harness does for its turns. */
function askModel(
  { models, retry, hooks, session }: HarnessParts,
  model: Model<Api>,
  operation: RetriedOperation,
): SummaryModel {
  return async (request, signal) => {
    // A session of its own, so that the conversation's place in a provider's cache stays what it is.
    const options = { ...requestOptions(signal), maxRetries: 0, sessionId: `${session.id}-${request.part}` };
    const ask = () => models.completeSimple(model, contextOf(request), options);
    return (await retried(ask, retry, signal, hooks, operation)) as SummaryReply;
  };
}

type SummaryRequest = Parameters<SummaryModel>[0];
/** No tools are offered, so the content is text. */
type SummaryReply = AssistantMessage & { content: never };

function contextOf({ systemPrompt, text }: SummaryRequest) {
  return { systemPrompt, messages: [{ role: "user" as const, content: text, timestamp: Date.now() }] };
}

function requestOptions(signal: AbortSignal | undefined) {
  return { identity: { attribution: null }, cacheRetention: "none" as const, ...(signal && { signal }) };
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
