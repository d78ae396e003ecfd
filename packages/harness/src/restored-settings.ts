import type { EntryDraft } from "bough";
import type { HarnessOptions } from "./options.ts";
import { modelRef, type SettingValues } from "./settings.ts";

export interface RestoredSettings {
  readonly values: SettingValues;
  /** What has to be stored for the session to say the same. */
  readonly unsaid: readonly EntryDraft[];
}

/** What is in force: what the caller asks for, else what the path says. */
export async function restoredSettings(options: HarnessOptions): Promise<RestoredSettings> {
  const { session, models, tools = [] } = options;
  const said = await session.buildContext();
  const model = options.model ?? (said.model ? models.getModel(said.model.provider, said.model.modelId) : undefined);
  const thinkingLevel = options.thinkingLevel ?? said.thinkingLevel;
  const known = tools.map(({ name }) => name);
  const remembered = said.activeToolNames?.filter((name) => known.includes(name));
  const activeToolNames = options.activeToolNames ?? remembered ?? known;
  const unsaid: EntryDraft[] = [];
  const ref = modelRef(model);
  if (ref && (ref.provider !== said.model?.provider || ref.modelId !== said.model.modelId)) {
    unsaid.push({ type: "model_change", ...ref, model: `${ref.provider}/${ref.modelId}` });
  }
  if (thinkingLevel !== said.thinkingLevel) unsaid.push({ type: "thinking_level_change", thinkingLevel });
  if (options.activeToolNames && JSON.stringify(activeToolNames) !== JSON.stringify(said.activeToolNames)) {
    unsaid.push({ type: "active_tools_change", activeToolNames });
  }
  return { values: { model, thinkingLevel, tools, activeToolNames }, unsaid };
}
