import { buildContextEntries } from "../context/context.ts";
import { sessionEntryToContextMessages } from "../context/entry-messages.ts";
import type { SessionContextBuildOptions } from "../context/options.ts";
import { isBoundary } from "../context/selection.ts";
import { deriveSessionContextState } from "../context/state-fold.ts";
import type { ModelRef, SessionTreeEntry } from "../entry/entry.ts";
import type { AssistantMessage } from "../entry/message.ts";
import { usageFigures } from "../entry/usage.ts";
import { estimateTokens, sumTokens, type TokenEstimator } from "./token-estimate.ts";

export interface ContextTokenOptions {
  /** The model that will be asked; the path's unless given. */
  readonly model?: ModelRef | null;
  readonly estimate?: TokenEstimator;
  readonly context?: SessionContextBuildOptions;
}

export interface ContextTokens {
  readonly tokens: number;
  /** Whether no figure of a provider is in it. */
  readonly estimated: boolean;
}

/**
 * How large the context at the end of a path is: what the provider counted for the last reply, and an estimate of what
 * came after it. A figure counts if the reply ended well, comes from the model that will be asked, and the context has
 * only grown since: no compaction, reset or edit follows it. Without one everything is estimated.
 *
 * Takes whole paths, and as well the part of one that `Session.getActivePath` reads.
 */
export function contextTokens(path: readonly SessionTreeEntry[], options: ContextTokenOptions = {}): ContextTokens {
  const { estimate = estimateTokens, context = {} } = options;
  const model = options.model === undefined ? deriveSessionContextState(path, context).model : options.model;
  const entries = buildContextEntries(path, context);
  const anchor = anchorOf(path, model);
  const start = anchor === undefined ? -1 : entries.findIndex((entry) => entry.id === anchor.id);
  let tokens = start === -1 ? 0 : (anchor?.tokens ?? 0);
  for (let index = start + 1; index < entries.length; index++) {
    const entry = entries[index] as SessionTreeEntry;
    tokens += sumTokens(sessionEntryToContextMessages(entry, index, entries, context), estimate);
  }
  return { tokens, estimated: start === -1 };
}

export interface ContextUsage {
  readonly tokens: number;
  /** The most the model takes. */
  readonly window: number;
  /** 0 to 100, and above where the context no longer fits. */
  readonly percent: number;
}

/** How full the model's window is, as far as its provider said; null without its word or without a window. */
export function getContextUsage(
  path: readonly SessionTreeEntry[],
  options: ContextTokenOptions & { readonly contextWindow: number | null | undefined },
): ContextUsage | null {
  const { contextWindow: window } = options;
  if (window === null || window === undefined || !(window > 0)) return null;
  const { tokens, estimated } = contextTokens(path, options);
  return estimated ? null : { tokens, window, percent: (tokens / window) * 100 };
}

interface Anchor {
  readonly id: string;
  readonly tokens: number;
}

function anchorOf(path: readonly SessionTreeEntry[], model: ModelRef | null): Anchor | undefined {
  for (const entry of path.toReversed()) {
    if (isBoundary(entry) || entry.type === "context_edit") return undefined;
    if (entry.type !== "message" || entry.message?.role !== "assistant") continue;
    const tokens = reportedTokens(entry.message);
    if (tokens === 0) continue;
    const { provider, model: modelId } = entry.message;
    const isAsked = model === null || (provider === model.provider && modelId === model.modelId);
    return isAsked ? { id: entry.id, tokens } : undefined;
  }
  return undefined;
}

/** What a context had grown to with this reply; 0 if it failed or nobody counted. */
function reportedTokens({ stopReason, usage }: AssistantMessage): number {
  if (stopReason === "error" || stopReason === "aborted") return 0;
  const figures = usageFigures(usage);
  if (figures === undefined) return 0;
  const { totalTokens } = usage;
  if (Number.isFinite(totalTokens) && totalTokens > 0) return totalTokens;
  return figures.input + figures.output + figures.cacheRead + figures.cacheWrite;
}
