import { type CompactionSettings, compactionSettings } from "bough";
import type { HarnessParts } from "./parts.ts";
import { modelRef } from "./settings.ts";

/** What the policy says for the model in force, brought down to what fits its window. */
export function compactionSettingsOf({ compaction, settings }: HarnessParts): CompactionSettings {
  const { model } = settings.values;
  const window = model && model.contextWindow > 0 ? model.contextWindow : undefined;
  return compactionSettings(compaction, modelRef(model), window);
}
