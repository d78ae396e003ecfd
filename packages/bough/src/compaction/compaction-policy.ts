import type { ModelRef } from "../entry/entry.ts";

/** When a context is compacted by itself, and how much of its end then stays word for word. In tokens. */
export interface CompactionSettings {
  /** False: never by itself; asking for it still works. */
  readonly enabled: boolean;
  /** Room that prompt and answer need beside the context. */
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

/** Settings for all models, and what differs for some of them, by exact `provider/modelId`. */
export interface CompactionPolicy extends Partial<CompactionSettings> {
  readonly models?: Readonly<Record<string, Partial<CompactionSettings>>>;
}

export const defaultCompactionSettings: CompactionSettings = Object.freeze({
  enabled: true,
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
});

/**
 * What holds for a model. Each field falls back on its own, numbers that are no safe integer from 0 included. Given the
 * model's window, they are brought down to what fits it: a reserve of at most half of it, and half of the rest to keep.
 */
export function compactionSettings(
  policy: CompactionPolicy = {},
  model?: ModelRef | null,
  contextWindow: number = Number.POSITIVE_INFINITY,
): CompactionSettings {
  const { models = {}, ...general } = policy;
  const name = model ? `${model.provider}/${model.modelId}` : "";
  const own = Object.hasOwn(models, name) ? models[name] : undefined;
  const layers = [own ?? {}, general, defaultCompactionSettings];
  const reserveTokens = Math.min(firstCount(layers.map((layer) => layer.reserveTokens)), Math.floor(contextWindow / 2));
  const keepRecentTokens = Math.min(
    firstCount(layers.map((layer) => layer.keepRecentTokens)),
    Math.floor((contextWindow - reserveTokens) / 2),
  );
  const enabled = layers.find((layer) => typeof layer.enabled === "boolean")?.enabled ?? true;
  return { enabled, reserveTokens, keepRecentTokens };
}

/** Whether a context of so many tokens leaves less than the reserve of the window. False where no window is known. */
export function shouldCompact(
  contextTokens: number,
  contextWindow: number,
  settings: CompactionSettings = defaultCompactionSettings,
): boolean {
  return settings.enabled && contextWindow > 0 && contextTokens > contextWindow - settings.reserveTokens;
}

function firstCount(values: readonly (number | undefined)[]): number {
  return values.find((value) => Number.isSafeInteger(value) && (value as number) >= 0) ?? 0;
}
