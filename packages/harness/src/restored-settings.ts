import { isDeepStrictEqual } from "node:util";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { EntryDraft, SessionContext } from "bough";
import type { HarnessOptions } from "./options.ts";
import type { HarnessParts } from "./parts.ts";
import { modelRef, type SettingValues } from "./settings.ts";

export interface RestoredSettings {
  readonly values: SettingValues;
  /** What has to be stored for the session to say the same. */
  readonly unsaid: readonly EntryDraft[];
}

/** What is in force when a session is taken up: what the caller asks for, else what the path says. */
export async function restoredSettings(options: HarnessOptions): Promise<RestoredSettings> {
  const { session, models, tools = [] } = options;
  const said = await session.buildContext();
  const model = options.model ?? modelOf(said, models);
  const thinkingLevel = options.thinkingLevel ?? said.thinkingLevel;
  const known = tools.map(({ name }) => name);
  const activeToolNames = options.activeToolNames ?? toolsOf(said, known) ?? known;
  const values = { model, thinkingLevel, tools, activeToolNames };
  return { values, unsaid: unsaidIn(values, said) };
}

/** After a move: what the path says now, and what it doesn't say stays in force. */
export async function restoreSettings({ session, models, settings }: HarnessParts): Promise<void> {
  const said = await session.buildContext();
  const { values: before } = settings;
  const values = {
    ...before,
    model: modelOf(said, models) ?? before.model,
    thinkingLevel: said.model === null ? before.thinkingLevel : said.thinkingLevel,
    activeToolNames:
      toolsOf(
        said,
        before.tools.map(({ name }) => name),
      ) ?? before.activeToolNames,
  };
  await settings.restore(values, unsaidIn(values, said));
}

function modelOf({ model }: SessionContext, models: HarnessOptions["models"]): Model<Api> | undefined {
  return model ? models.getModel(model.provider, model.modelId) : undefined;
}

function toolsOf({ activeToolNames }: SessionContext, known: readonly string[]): readonly string[] | undefined {
  return activeToolNames?.filter((name) => known.includes(name));
}

function unsaidIn(values: SettingValues, said: SessionContext): readonly EntryDraft[] {
  const { model, thinkingLevel, activeToolNames } = values;
  const saidNames = said.activeToolNames ?? values.tools.map(({ name }) => name);
  const drafts: EntryDraft[] = [];
  const ref = modelRef(model);
  if (ref && (ref.provider !== said.model?.provider || ref.modelId !== said.model.modelId)) {
    drafts.push({ type: "model_change", ...ref, model: `${ref.provider}/${ref.modelId}` });
  }
  if (thinkingLevel !== said.thinkingLevel) drafts.push({ type: "thinking_level_change", thinkingLevel });
  if (!isDeepStrictEqual(activeToolNames, saidNames)) drafts.push({ type: "active_tools_change", activeToolNames });
  return drafts;
}
