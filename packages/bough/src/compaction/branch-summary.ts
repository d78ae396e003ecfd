import { applyEdits, contextEdits } from "../context/edits.ts";
import { sessionEntryToContextMessages } from "../context/entry-messages.ts";
import { keepPointer } from "../context/selection.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionMetadata } from "../entry/header.ts";
import type { AgentMessage } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { BranchSummaryError } from "../errors.ts";
import { leftBehind } from "../session/left-behind.ts";
import type { Session } from "../session/session.ts";
import type { Leaf } from "../tree/session-tree.ts";
import { compactionSettings } from "./compaction-policy.ts";
import {
  type FileOperations,
  fileOperationsIn,
  joinedFiles,
  storedFiles,
  withoutFileLists,
} from "./file-operations.ts";
import {
  type GeneratedSummary,
  type SummaryOptions,
  type SummaryRefusal,
  summarized,
  wishes,
} from "./generate-summary.ts";
import { isOwn } from "./prepare-compaction.ts";
import { estimateTokens, sumTokens, type TokenEstimator } from "./token-estimate.ts";

/** What a move leaves behind. */
export interface BranchEntries {
  /** From below the common ancestor to the leaf that is left, in path order. */
  readonly entries: readonly SessionTreeEntry[];
  /** The deepest entry on the paths to both; null if they have none in common. */
  readonly commonAncestorId: Leaf;
}

/** What going from `oldLeafId` to `targetId` leaves behind; nothing on the way down. Rejects with `not_found`. */
export async function collectEntriesForBranchSummary<TMetadata extends SessionMetadata>(
  session: Session<TMetadata>,
  oldLeafId: Leaf,
  targetId: Leaf,
): Promise<BranchEntries> {
  const { storage } = session;
  return await storage.read(leftBehind(storage.host.state, oldLeafId, targetId));
}

export interface BranchBudget {
  /** How many tokens of conversation may go into the summary's request; unlimited unless given. */
  readonly budget?: number;
  readonly estimate?: TokenEstimator;
}

export interface BranchPreparation {
  /** In order. Results of tools are left out. */
  readonly messages: readonly AgentMessage[];
  /** Of all entries, those that didn't fit included. */
  readonly files: FileOperations;
  readonly tokens: number;
}

/** A summary that is a little too large for what is left of the budget is still worth more than what it stands for. */
const summaryShare = 0.9;

/**
 * What of an abandoned branch is summarised: the newest messages that fit. Summaries on the branch stand for what they
 * cover, which is left out; edits are applied.
 */
export function prepareBranchEntries(
  entries: readonly SessionTreeEntry[],
  { budget = Number.POSITIVE_INFINITY, estimate = estimateTokens }: BranchBudget = {},
): BranchPreparation {
  const edited = applyEdits(entries, contextEdits(entries));
  const fitting: AgentMessage[][] = [];
  let tokens = 0;
  for (const [index, entry] of uncovered(edited).toReversed()) {
    const messages = sessionEntryToContextMessages(entry, index, edited).flatMap(worthTelling);
    const cost = sumTokens(messages, estimate);
    const isSummary = entry.type === "compaction" || entry.type === "branch_summary";
    if (tokens + cost > budget && !(isSummary && tokens < budget * summaryShare)) break;
    fitting.push(messages);
    tokens += cost;
    if (tokens > budget) break;
  }
  return { messages: fitting.reverse().flat(), files: filesOf(edited), tokens };
}

/** Of a model whose window nobody said. */
const usualWindow = 128_000;

export interface BranchSummaryOptions extends SummaryOptions {
  /** Of the model that summarises. */
  readonly contextWindow?: number;
  /** At most half of the window. */
  readonly reserveTokens?: number;
  readonly estimate?: TokenEstimator;
}

/**
 * Summarises a branch that is left, as `Session.moveTo` takes it. Undefined if nothing was said on it. Rejects with
 * `branch_summary` if what comes back is not fit to be kept.
 */
export async function generateBranchSummary(
  entries: readonly SessionTreeEntry[],
  options: BranchSummaryOptions = {},
): Promise<GeneratedSummary | undefined> {
  const { contextWindow = usualWindow, reserveTokens: wanted, estimate } = options;
  const policy = wanted === undefined ? {} : { reserveTokens: wanted };
  const budget = contextWindow - compactionSettings(policy, null, contextWindow).reserveTokens;
  const prepared = prepareBranchEntries(entries, { budget, ...(estimate && { estimate }) });
  const { messages, files, tokens } = prepared;
  if (messages.length === 0) return undefined;
  return await summarized(
    { kind: "branch", messages, turnPrefix: [], files, ...wishes(options) },
    tokens,
    options,
    noSummary,
  );
}

/** Entries with their index, without those that a compaction among them stands for. */
function uncovered(entries: readonly SessionTreeEntry[]): readonly (readonly [number, SessionTreeEntry])[] {
  const at = entries.findLastIndex((entry) => entry.type === "compaction");
  const compaction = entries[at];
  if (compaction?.type !== "compaction") return [...entries.entries()];
  const keptId = keepPointer(compaction);
  const kept = entries.findIndex((entry) => entry.id === keptId);
  const first = kept === -1 || kept > at ? at : kept;
  const rest = [...entries.entries()].slice(first).filter(([index, { type }]) => index === at || type !== "compaction");
  const inOrder = [[at, compaction] as const, ...rest.filter(([index]) => index !== at)];
  return inOrder;
}

function worthTelling(message: AgentMessage): readonly AgentMessage[] {
  switch (message.role) {
    case "system":
    case "toolResult":
      return [];
    case "bashExecution":
      return message.excludeFromContext === true ? [] : [message];
    case "branchSummary":
    case "compactionSummary":
      return [{ ...message, summary: withoutFileLists(storedText(message.summary)) }];
    default:
      return [message];
  }
}

function filesOf(entries: readonly SessionTreeEntry[]): FileOperations {
  const stored = entries.filter((entry) => entry.type === "compaction" || entry.type === "branch_summary");
  const messages = entries.flatMap((entry) => (entry.type === "message" && entry.message ? [entry.message] : []));
  return joinedFiles(...stored.filter(isOwn).map(({ details }) => storedFiles(details)), fileOperationsIn(messages));
}

const noSummary: SummaryRefusal = (message, details, cause) =>
  new BranchSummaryError("branch_summary", message, details, { cause });
