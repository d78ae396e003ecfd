import type { Usage } from "../entry/usage.ts";
import { CompactionError, isBoughError, type SummaryFailure } from "../errors.ts";
import { extractiveSummarizer } from "./extractive-summarizer.ts";
import type { FileOperations } from "./file-operations.ts";
import { withFileLists } from "./file-operations.ts";
import type { CompactionPreparation } from "./prepare-compaction.ts";
import type { Summarizer, SummaryReply, SummaryRequest } from "./summarizer.ts";
import { replyText, summaryFault } from "./verify-summary.ts";

export interface SummaryOptions {
  /** The extractive one unless given. */
  readonly summarizer?: Summarizer;
  readonly instructions?: string;
  /** A model is then told nothing but the instructions. */
  readonly replaceInstructions?: boolean;
  readonly signal?: AbortSignal;
}

/** A summary that was found fit, with the files it goes with. */
export interface GeneratedSummary {
  /** With the lists of files below. */
  readonly summary: string;
  readonly details: FileOperations;
  readonly usage?: Usage;
}

/** Summarises what a preparation covers. Rejects with `compaction` if what comes back is not fit to stand for it. */
export async function generateSummary(
  preparation: CompactionPreparation,
  options: SummaryOptions = {},
): Promise<GeneratedSummary> {
  const { messagesToSummarize, turnPrefixMessages, previousSummary, files, coveredTokens } = preparation;
  const request: SummaryRequest = {
    kind: "compaction",
    messages: messagesToSummarize,
    turnPrefix: turnPrefixMessages,
    ...(previousSummary !== undefined && { previousSummary }),
    files,
    ...wishes(options),
  };
  return await summarized(request, coveredTokens, options, noSummary);
}

/** Makes the error of a summary that can't be used. */
export type SummaryRefusal = (message: string, details: SummaryFailure, cause?: unknown) => Error;

/** Asks a summariser and checks what it says. `covered`: how many tokens the summary is to stand for. */
export async function summarized(
  request: SummaryRequest,
  covered: number,
  { summarizer = extractiveSummarizer, signal }: SummaryOptions,
  refusal: SummaryRefusal,
): Promise<GeneratedSummary> {
  signal?.throwIfAborted();
  const reply = await asked(summarizer, request, signal, refusal);
  signal?.throwIfAborted();
  const { usage } = reply;
  const reason = summaryFault(reply, covered);
  if (reason !== undefined) {
    const { errorMessage } = reply;
    const cause = errorMessage === undefined ? undefined : new Error(errorMessage);
    throw refusal(errorMessage ?? `the summary can't be used: ${reason}`, { reason, ...(usage && { usage }) }, cause);
  }
  const summary = withFileLists(replyText(reply), request.files);
  return { summary, details: request.files, ...(usage && { usage }) };
}

export function wishes({ instructions, replaceInstructions }: SummaryOptions): Partial<SummaryRequest> {
  return {
    ...(instructions !== undefined && { instructions }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
  };
}

async function asked(
  summarizer: Summarizer,
  request: SummaryRequest,
  signal: AbortSignal | undefined,
  refusal: SummaryRefusal,
): Promise<SummaryReply> {
  try {
    return await untilAborted(summarizer(request, signal), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (isBoughError(error)) throw error;
    throw refusal("the summary could not be made", { reason: "failed" }, error);
  }
}

/** Rejects when the signal aborts, whether or not whoever works on it minds. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const noSummary: SummaryRefusal = (message, details, cause) =>
  new CompactionError("compaction", message, details, { cause });
