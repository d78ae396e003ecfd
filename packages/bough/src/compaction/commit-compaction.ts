import { createCompactionSummaryMessage } from "../context/entry-messages.ts";
import type { CompactionEntry } from "../entry/entry.ts";
import type { SessionMetadata } from "../entry/header.ts";
import { CompactionError, type SummaryFailure } from "../errors.ts";
import type { Session } from "../session/session.ts";
import type { CompactionResult } from "./compaction-result.ts";
import type { FileOperations } from "./file-operations.ts";
import type { CompactionPreparation } from "./prepare-compaction.ts";
import { estimateTokens, type TokenEstimator } from "./token-estimate.ts";

/** A part of a path by its ends, both included. */
export interface PathSpan {
  readonly first: string;
  readonly last: string;
  readonly entries: number;
}

/** What bough's own compactions record beside the summary. */
export interface CompactionDetails extends FileOperations {
  /** What the summary stands for since the compaction before; null if that is only what it had kept inline. */
  readonly covered: PathSpan | null;
  /** What stays word for word; null if nothing does. */
  readonly kept: PathSpan | null;
}

/** A summary to be stored; what it doesn't say comes from the preparation. */
export type CompactionDraft = Omit<CompactionResult, "tokensBefore"> &
  Partial<Pick<CompactionResult, "tokensBefore">> & { readonly fromHook?: boolean };

/**
 * Stores a summary of what a preparation covers, at the leaf it was prepared for, and resolves with the stored entry.
 * Rejects with `compaction` if the summary is empty or the context would not shrink, with `invalid_entry` if the draft
 * keeps from elsewhere, with `leaf_moved` if the leaf is another by now.
 */
export async function commitCompaction<TMetadata extends SessionMetadata>(
  session: Session<TMetadata>,
  preparation: CompactionPreparation,
  draft: CompactionDraft,
  { estimate = estimateTokens }: { readonly estimate?: TokenEstimator } = {},
): Promise<CompactionEntry> {
  const { leafId, firstKeptEntryId, tokensBefore, systemMessage } = preparation;
  const { details, ...given } = draft;
  if (draft.summary.trim() === "") throw refusal("the summary is empty", { reason: "empty" }, draft);
  if (given.firstKeptEntryId !== undefined) requireInContext(given.firstKeptEntryId, preparation);
  const cutsElsewhere = given.firstKeptEntryId !== undefined && given.firstKeptEntryId !== firstKeptEntryId;
  const tokensAfter = cutsElsewhere || given.retainedTail ? undefined : sizeAfter(preparation, draft.summary, estimate);
  if (tokensAfter !== undefined && tokensAfter >= tokensBefore) {
    const message = `the context would not shrink: ${tokensBefore} tokens before, ${tokensAfter} after`;
    throw refusal(message, { reason: "no_gain", tokensBefore, tokensAfter }, draft);
  }
  const id = await session.appendCompaction(
    {
      tokensBefore,
      ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
      ...given,
      ...(tokensAfter !== undefined && { tokensAfter }),
      details: draft.fromHook ? details : { ...recorded(preparation), ...(details as object | undefined) },
      ...(systemMessage && { systemMessage }),
    },
    { leafId },
  );
  return (await session.getEntry(id)) as CompactionEntry;
}

function sizeAfter(preparation: CompactionPreparation, summary: string, estimate: TokenEstimator): number {
  const { keptTokens, systemMessage, tokensBefore } = preparation;
  const message = createCompactionSummaryMessage(summary, tokensBefore, "");
  return keptTokens + estimate(message) + (systemMessage ? estimate(systemMessage) : 0);
}

function recorded({ files, coveredIds, keptIds }: CompactionPreparation): CompactionDetails {
  return { ...files, covered: spanOf(coveredIds), kept: spanOf(keptIds) };
}

function spanOf(ids: readonly string[]): PathSpan | null {
  const [first] = ids;
  const last = ids.at(-1);
  return first === undefined || last === undefined ? null : { first, last, entries: ids.length };
}

/** Whether a compaction may keep from this entry on: what stands elsewhere would be kept by no reader. */
export function mayKeepFrom({ coveredIds, keptIds }: CompactionPreparation, id: string): boolean {
  return coveredIds.includes(id) || keptIds.includes(id);
}

function requireInContext(id: string, preparation: CompactionPreparation): void {
  if (mayKeepFrom(preparation, id)) return;
  const reason = `${id} is not in the context that is compacted`;
  throw new CompactionError("invalid_entry", reason, { field: "firstKeptEntryId", reason });
}

function refusal(message: string, details: SummaryFailure, { usage }: CompactionDraft): CompactionError<"compaction"> {
  return new CompactionError("compaction", message, { ...details, ...(usage && { usage }) });
}
