import { summarizerOfModel } from "@bough/harness";
import type { Api, Model, Models } from "@earendil-works/pi-ai";
import { AgentHarnessError, extractiveSummarizer, type Summarizer } from "bough";
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
  return summarizerOfModel(models, model);
}

/** Rejects with `auth` where there is none. */
export async function requireKey(models: Models, model: Model<Api>): Promise<void> {
  const { provider } = model;
  if (await models.getAuth(model)) return;
  throw new AgentHarnessError("auth", `there is no key for ${provider}`, { provider });
}
