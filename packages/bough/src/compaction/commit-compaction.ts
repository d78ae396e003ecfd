import { createCompactionSummaryMessage } from "../context/entry-messages.ts";
import type { CompactionEntry } from "../entry/entry.ts";
import type { SessionMetadata } from "../entry/header.ts";
import { jsonCopy } from "../entry/json.ts";
import { validateDraft } from "../entry/validate.ts";
import { CompactionError, type SummaryFailure } from "../errors.ts";
import type { CompactionInput } from "../session/appenders.ts";
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

/**
 * A summary to be stored. Without `firstKeptEntryId` what the preparation planned to keep is kept; `retainedTail` stands
 * instead of all that, so that with an empty one nothing is. `tokensBefore` is the preparation's, whatever is said here.
 */
export type CompactionDraft = Omit<CompactionResult, "tokensBefore"> &
  Partial<Pick<CompactionResult, "tokensBefore">> & { readonly fromHook?: boolean };

export interface CommitOptions {
  readonly estimate?: TokenEstimator;
}

/**
 * Stores a summary of what a preparation covers, at the leaf it was prepared for, and resolves with the stored entry.
 * Rejects as `validateCompaction` throws, and with `leaf_moved` if the leaf is another by now.
 */
export async function commitCompaction<TMetadata extends SessionMetadata>(
  session: Session<TMetadata>,
  preparation: CompactionPreparation,
  draft: CompactionDraft,
  options: CommitOptions = {},
): Promise<CompactionEntry> {
  const { leafId } = preparation;
  const id = await session.appendCompaction(inputOf(preparation, draft, options), { leafId });
  return (await session.getEntry(id)) as CompactionEntry;
}

/**
 * Throws `compaction` if the summary is empty or the context would not shrink, `invalid_entry` if the draft keeps from
 * elsewhere or holds what can't be stored.
 */
export function validateCompaction(
  preparation: CompactionPreparation,
  draft: CompactionDraft,
  options: CommitOptions = {},
): void {
  inputOf(preparation, draft, options);
}

function inputOf(
  preparation: CompactionPreparation,
  draft: CompactionDraft,
  { estimate = estimateTokens }: CommitOptions,
): CompactionInput {
  const { tokensBefore, systemMessage } = preparation;
  const { summary, firstKeptEntryId, details, usage, retainedTail, preserveData, fromHook } = draft;
  const input = jsonCopy({
    tokensBefore,
    summary,
    firstKeptEntryId: firstKeptEntryId ?? preparation.firstKeptEntryId,
    retainedTail,
    preserveData,
    usage,
    fromHook,
    details: fromHook ? details : { ...recorded(preparation), ...(details as object | undefined) },
    systemMessage,
  }) as CompactionInput;
  validateDraft({ type: "compaction", ...input });
  requireFit(preparation, draft);
  const tokensAfter = sizeAfter(preparation, draft, estimate);
  if (tokensAfter === undefined) return input;
  if (tokensAfter < tokensBefore) return { ...input, tokensAfter };
  const message = `the context would not shrink: ${tokensBefore} tokens before, ${tokensAfter} after`;
  throw refusal(message, { reason: "no_gain", tokensBefore, tokensAfter }, draft);
}

function requireFit(preparation: CompactionPreparation, draft: CompactionDraft): void {
  const { summary, firstKeptEntryId } = draft;
  if (summary.trim() === "") throw refusal("the summary is empty", { reason: "empty" }, draft);
  if (firstKeptEntryId !== undefined) requireInContext(firstKeptEntryId, preparation);
}

/** Undefined where something else stays than was planned. */
function sizeAfter(
  { firstKeptEntryId: planned, keptTokens, systemMessage, tokensBefore }: CompactionPreparation,
  { summary, firstKeptEntryId = planned, retainedTail }: CompactionDraft,
  estimate: TokenEstimator,
): number | undefined {
  if (firstKeptEntryId !== planned || retainedTail) return undefined;
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

/** What stands elsewhere would be kept by no reader. */
function requireInContext(id: string, { coveredIds, keptIds }: CompactionPreparation): void {
  if (coveredIds.includes(id) || keptIds.includes(id)) return;
  const reason = `${id} is not in the context that is compacted`;
  throw new CompactionError("invalid_entry", reason, { field: "firstKeptEntryId", reason });
}

function refusal(message: string, details: SummaryFailure, { usage }: CompactionDraft): CompactionError<"compaction"> {
  return new CompactionError("compaction", message, { ...details, ...(usage && { usage }) });
}
