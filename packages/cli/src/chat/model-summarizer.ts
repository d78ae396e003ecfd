import type { Api, AssistantMessage, Model, Models } from "@earendil-works/pi-ai";
import {
  AgentHarnessError,
  compactionSettings,
  extractiveSummarizer,
  modelSummarizer,
  type Summarizer,
  type SummaryModel,
} from "bough";
import type { Cli } from "../cli.ts";
import { demoProvider } from "./demo-model.ts";
import { ModelChoice, type ModelOptions } from "./model-choice.ts";

/** A summariser that asks the model of the user's choice. Rejects with `auth` where there is no key for it. */
export async function askedSummarizer(cli: Cli, options: ModelOptions): Promise<Summarizer> {
  const choice = new ModelChoice(cli, options);
  const model = await choice.asked();
  if (!model) return extractiveSummarizer;
  await requireKey(choice.models, model);
  return summarizerOf(choice.models, model);
}

/** Asks the model in bough's words; the demo can't summarise, so the conversation's own words stand for it. */
export function summarizerOf(models: Models, model: Model<Api>): Summarizer {
  if (model.provider === demoProvider) return extractiveSummarizer;
  return modelSummarizer(asking(models, model), recordLimit(model));
}

/** Rejects with `auth` where there is none. */
export async function requireKey(models: Models, model: Model<Api>): Promise<void> {
  const { provider } = model;
  if (await models.getAuth(model)) return;
  throw new AgentHarnessError("auth", `there is no key for ${provider}`, { provider });
}

function asking(models: Models, model: Model<Api>): SummaryModel {
  return async ({ systemPrompt, text }, signal) => {
    const context = { systemPrompt, messages: [{ role: "user" as const, content: text, timestamp: Date.now() }] };
    const options = {
      maxRetries: 3,
      cacheRetention: "none",
      identity: { attribution: null },
      ...(signal && { signal }),
    } as const;
    return (await models.completeSimple(model, context, options)) as AssistantMessage & { content: never };
  };
}

/** A quarter of the room is left to the instructions, an earlier summary and a wrong estimate. */
function recordLimit({ contextWindow }: Model<Api>): { readonly inputTokens?: number } {
  if (!(contextWindow > 0)) return {};
  const { reserveTokens } = compactionSettings({}, null, contextWindow);
  return { inputTokens: Math.floor((contextWindow - reserveTokens) * 0.75) };
}
