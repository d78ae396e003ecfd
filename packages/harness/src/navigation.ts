import {
  type BranchSummaryEntry,
  collectEntriesForBranchSummary,
  generateBranchSummary,
  type ImageContent,
  type MoveSummary,
  SessionError,
  type SessionTreeEntry,
  type UserContent,
} from "bough";
import type { HookResult } from "./hooks/hook-table.ts";
import { imagesOf, textOf } from "./input.ts";
import { readOperations } from "./operations/read-operations.ts";
import { planAt } from "./operations/recover.ts";
import type { HarnessParts } from "./parts.ts";
import { restoreSettings } from "./restored-settings.ts";
import { summarizerOf } from "./summary-model.ts";
import type { TreePreparation } from "./tree-preparation.ts";

export interface NavigateOptions {
  /** Whether what is left behind is summarised where the leaf goes. */
  readonly summarize?: boolean;
  /** What the summary is to say besides, or (`replaceInstructions`) all that the summariser is told. */
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  /** For the summary if one is made, else for the target. */
  readonly label?: string;
  readonly signal?: AbortSignal;
}

export type NavigateOutcome =
  | { readonly cancelled: true; readonly aborted?: true }
  | {
      readonly cancelled: false;
      /** Of the user's message or the note that was chosen, for editing. */
      readonly editorText?: string;
      readonly editorImages?: readonly ImageContent[];
      readonly summaryEntry?: BranchSummaryEntry;
    };

/**
 * Goes to an entry of the tree; to the user's words or a note: to before them, with their text. Rejects with `not_found`,
 * and with `branch_summary` if the summary can't be made. Unless it resolves with `cancelled: false` nothing has changed.
 */
export async function navigateTree(
  parts: HarnessParts,
  targetId: string,
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<NavigateOutcome> {
  const { session, hooks } = parts;
  const target = await targetOf(parts, targetId);
  const oldLeafId = session.leafId;
  if (target.id === oldLeafId) return { cancelled: false };
  try {
    const preparation = await prepare(parts, target, options);
    const asked = await hooks.ask("session_before_tree", { preparation, signal }, signal);
    if (asked.cancel) return { cancelled: true };
    const summary = await summaryFor(parts, preparation, asked, signal);
    signal.throwIfAborted();
    const words = wordsOf(target);
    const summaryId = await session.moveTo(words ? target.parentId : target.id, summary);
    const summaryEntry = summaryId === undefined ? undefined : await session.getEntry(summaryId);
    const label = asked.label ?? options.label;
    if (label !== undefined) await session.appendLabel(summaryId ?? target.id, label);
    await restoreSettings(parts);
    await findRun(parts);
    await tell(parts, oldLeafId, summaryEntry as BranchSummaryEntry | undefined);
    return {
      cancelled: false,
      ...(words && { editorText: textOf(words), ...(imagesOf(words).length > 0 && { editorImages: imagesOf(words) }) }),
      ...(summaryEntry && { summaryEntry: summaryEntry as BranchSummaryEntry }),
    };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { cancelled: true, aborted: true };
    throw error;
  }
}

/** A mark's id means the place it was made at. */
async function targetOf({ session }: HarnessParts, targetId: string): Promise<SessionTreeEntry> {
  const { storage } = session;
  const position = await storage.read(storage.host.state.positionOf(targetId));
  const entry = position === null ? undefined : await session.getEntry(position);
  if (entry) return entry;
  throw new SessionError("not_found", `there is no entry ${targetId}`, { what: "entry", id: targetId });
}

async function prepare(
  { session }: HarnessParts,
  target: SessionTreeEntry,
  options: NavigateOptions,
): Promise<TreePreparation> {
  const { customInstructions, replaceInstructions, label } = options;
  const oldLeafId = session.leafId;
  const left = await collectEntriesForBranchSummary(session, oldLeafId, target.id);
  return {
    targetId: target.id,
    oldLeafId,
    commonAncestorId: left.commonAncestorId,
    entriesToSummarize: left.entries,
    userWantsSummary: options.summarize === true,
    ...(customInstructions !== undefined && { customInstructions }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
    ...(label !== undefined && { label }),
  };
}

/** None unless the user wants one, nor where nothing was said. */
async function summaryFor(
  parts: HarnessParts,
  preparation: TreePreparation,
  asked: HookResult<"session_before_tree">,
  signal: AbortSignal,
): Promise<MoveSummary | undefined> {
  if (!preparation.userWantsSummary) return undefined;
  if (asked.summary) return { ...asked.summary, fromHook: true };
  const instructions = asked.customInstructions ?? preparation.customInstructions;
  const replaceInstructions = asked.replaceInstructions ?? preparation.replaceInstructions;
  const window = parts.settings.values.model?.contextWindow;
  return await parts.activity.within("branch_summary", () =>
    generateBranchSummary(preparation.entriesToSummarize, {
      summarizer: summarizerOf(parts, "branch_summary"),
      signal,
      ...(instructions !== undefined && { instructions }),
      ...(replaceInstructions !== undefined && { replaceInstructions }),
      ...(window !== undefined && window > 0 && { contextWindow: window }),
    }),
  );
}

/** Which run was interrupted where the leaf is now. */
async function findRun({ session, settings, journal, maxAttempts }: HarnessParts): Promise<void> {
  journal.stand(await planAt(session, await readOperations(session), settings.values.tools, maxAttempts));
}

/** What a chosen entry hands back for editing: the user's words, or a note's. */
export function wordsOf(entry: SessionTreeEntry): UserContent | undefined {
  if (entry.type === "custom_message") return entry.content;
  return entry.type === "message" && entry.message.role === "user" ? entry.message.content : undefined;
}

async function tell(
  { session, hooks }: HarnessParts,
  oldLeafId: string | null,
  summaryEntry: BranchSummaryEntry | undefined,
): Promise<void> {
  const fromHook = summaryEntry?.fromHook === true;
  await hooks.emit({
    type: "session_tree",
    newLeafId: session.leafId,
    oldLeafId,
    ...(summaryEntry && { summaryEntry, fromHook, fromExtension: fromHook }),
  });
}
