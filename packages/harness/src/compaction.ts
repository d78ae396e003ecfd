import {
  AgentHarnessError,
  type CompactionDraft,
  type CompactionEntry,
  type CompactionPreparation,
  type ContextTokens,
  compact,
  contextTokens,
  generateSummary,
  type Keep,
  shouldCompact,
} from "bough";
import { compactionSettingsOf } from "./compaction-settings.ts";
import type { CompactionReason } from "./hooks/events.ts";
import type { HarnessParts } from "./parts.ts";
import { modelRef } from "./settings.ts";
import { summarizerOf } from "./summary-model.ts";

export interface CompactionRequest {
  readonly reason: CompactionReason;
  readonly signal: AbortSignal;
  readonly instructions?: string;
  readonly keep?: Keep;
  /** Whether the failed request is made again afterwards. */
  readonly willRetry?: boolean;
}

/**
 * Compacts at the leaf, whoever wants it: hooks may refuse or bring a summary, else the summariser in force writes one.
 * Rejects as the engine's `compact`, and with `compaction` (`cancelled`); then nothing is stored, and `compaction_end`
 * says so.
 */
export async function compactSession(parts: HarnessParts, request: CompactionRequest): Promise<CompactionEntry> {
  const { session, hooks } = parts;
  const { reason, willRetry = false, signal } = request;
  await hooks.emit({ type: "compaction_start", reason });
  try {
    const { entry } = await compact(session, {
      settings: compactionSettingsOf(parts),
      signal,
      ...(request.keep && { keep: request.keep }),
      propose: (preparation) => proposal(parts, request, preparation),
    });
    const fromHook = entry.fromHook === true;
    await hooks.emit({ type: "session_compact", compactionEntry: entry, reason, fromHook, fromExtension: fromHook });
    await hooks.emit({ type: "compaction_end", reason, compactionEntry: entry, aborted: false, willRetry });
    return entry;
  } catch (error) {
    const errorMessage = error instanceof Error ? error.message : String(error);
    await hooks.emit({ type: "compaction_end", reason, aborted: signal.aborted, willRetry: false, errorMessage });
    throw error;
  }
}

/** Whether the next request would leave less than the reserve of the model's window. */
export async function isOverThreshold(parts: HarnessParts, systemPrompt: string): Promise<boolean> {
  const { model } = parts.settings.values;
  if (!model || !(model.contextWindow > 0)) return false;
  const { tokens, estimated } = await measured(parts);
  // A provider's figure has the prompt in it already.
  const unseen = estimated ? Math.ceil(systemPrompt.length / 4) : 0;
  return shouldCompact(tokens + unseen, model.contextWindow, compactionSettingsOf(parts));
}

/** How large the context at the leaf is for the model in force. */
export async function measured({ session, settings }: HarnessParts): Promise<ContextTokens> {
  const path = await session.getActivePath();
  return contextTokens(path, { model: modelRef(settings.values.model), context: session.contextBuildOptions });
}

async function proposal(
  parts: HarnessParts,
  request: CompactionRequest,
  preparation: CompactionPreparation,
): Promise<CompactionDraft> {
  const { session, hooks } = parts;
  const { reason, willRetry = false, signal, instructions } = request;
  const asked = await hooks.ask(
    "session_before_compact",
    {
      preparation,
      branchEntries: hooks.has("session_before_compact") ? await session.getBranch() : [],
      ...(instructions !== undefined && { customInstructions: instructions }),
      reason,
      willRetry,
      signal,
    },
    signal,
  );
  if (asked.cancel) throw cancelled();
  if (asked.compaction) return { ...asked.compaction, fromHook: true };
  const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
  const said = await hooks.ask("session.compacting", { sessionId: session.id, messages }, signal);
  const wishes = [said.prompt ?? instructions, ...(said.context ?? [])].filter((text) => text !== undefined);
  const generated = await generateSummary(preparation, {
    summarizer: summarizerOf(parts, "compaction"),
    signal,
    ...(wishes.length > 0 && { instructions: wishes.join("\n\n") }),
    ...(said.prompt !== undefined && { replaceInstructions: true }),
  });
  return { ...generated, ...(said.preserveData !== undefined && { preserveData: said.preserveData }) };
}

function cancelled(): AgentHarnessError<"compaction"> {
  return new AgentHarnessError("compaction", "a hook cancelled the compaction", { reason: "cancelled" });
}
