import type { EntryHead } from "../entry/head.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader, type SessionMetadata } from "../entry/header.ts";
import { SessionError } from "../errors.ts";
import { pathTo } from "../tree/path.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import type { EntryFactory } from "./entry-factory.ts";
import type { CopiedLines, RecordBatch } from "./entry-log.ts";
import { type ForkContent, ForkedEntries, isCopied, marksOf } from "./forked-entries.ts";
import { type Program, readLines, survey } from "./program.ts";
import type { SessionState } from "./session-state.ts";
import { surveyedCopy } from "./surveyed-copy.ts";

/**
 * A fork copies entries of the conversation with their ids and times. Marks stay behind: what hung from a mark hangs
 * from the entry the mark stood at, the labels and the name in force are written anew, and a reference to an entry that
 * stays behind names the nearest one that came along.
 */
export interface ForkPlan {
  /** What is copied, in log order. */
  readonly heads: readonly EntryHead[];
  /** Where the fork stands. */
  readonly leaf: Leaf;
  readonly isWhole: boolean;
}

export interface ForkTarget {
  /** Without an entry the whole tree is copied. */
  readonly entryId?: string;
  /** `at` includes the entry; `before` ends above it, which must be something the user said. */
  readonly position?: "at" | "before";
}

export interface ForkHeader<TMetadata extends SessionMetadata> {
  readonly id: string;
  readonly cwd?: string;
  readonly metadata?: TMetadata;
  /** Path of the source, where it has one. */
  readonly parentSession?: string;
}

/** Rejects with `not_found` or `invalid_fork_target`. */
export function planFork(tree: SessionTree, target: ForkTarget): ForkPlan {
  const { entryId, position = "at" } = target;
  if (entryId === undefined) return { heads: [...tree.heads()].filter(isCopied), leaf: tree.leaf, isWhole: true };
  const head = tree.get(entryId);
  if (!head) throw new SessionError("not_found", `no entry ${entryId}`, { what: "entry", id: entryId });
  const leaf = position === "at" ? tree.positionOf(entryId) : beforeInput(tree, head);
  if (leaf === undefined) throw invalidTarget(entryId, "it stands for no place in the conversation");
  return { heads: pathTo(tree, leaf).heads.filter(isCopied), leaf, isWhole: false };
}

export function forkHeader<TMetadata extends SessionMetadata>(
  source: SessionHeader,
  inheritedEntries: number,
  header: ForkHeader<TMetadata>,
  factory: EntryFactory,
): SessionHeader {
  const { parentSession: _, parentSessionId: __, inheritedEntries: ___, ...rest } = source;
  return {
    ...rest,
    version: CURRENT_SESSION_VERSION,
    timestamp: new Date(factory.now()).toISOString(),
    ...header,
    parentSessionId: source.id,
    inheritedEntries,
  };
}

const batchSize = 256;
/** Of entries that nobody looks at. */
const verbatimBatchSize = 2048;

/** As records. Throws as `planFork` does. */
export function forkRecords(state: SessionState, target: ForkTarget): ForkContent<RecordBatch> {
  const plan = planFork(state.tree, target);
  return { inheritedEntries: plan.heads.length, pieces: recordPieces(state, plan) };
}

/** The same, and of what doesn't change the lines that keep it, where the source has such. */
export function* forkCopies(state: SessionState, target: ForkTarget): Program<ForkContent<RecordBatch | CopiedLines>> {
  const found = target.entryId === undefined ? yield* survey() : undefined;
  if (found) return surveyedCopy(state, found);
  const plan = planFork(state.tree, target);
  return { inheritedEntries: plan.heads.length, pieces: copyPieces(state, plan) };
}

function* recordPieces(state: SessionState, plan: ForkPlan): Generator<Program<RecordBatch>, void, void> {
  const copy = plannedCopy(state, plan);
  for (const { heads } of batchesOf(plan.heads, () => false)) yield recordsOf(state, heads, copy);
  yield marksOf(state, copy);
}

function* copyPieces(state: SessionState, plan: ForkPlan): Generator<Program<RecordBatch | CopiedLines>, void, void> {
  const copy = plannedCopy(state, plan);
  for (const { heads, isVerbatim } of batchesOf(plan.heads, (head, before) => copy.isVerbatim(head, before))) {
    yield isVerbatim ? linesOf(state, heads, copy) : recordsOf(state, heads, copy);
  }
  yield marksOf(state, copy);
}

function plannedCopy(state: SessionState, { heads, leaf, isWhole }: ForkPlan): ForkedEntries {
  const { tree } = state;
  let ids: ReadonlySet<string> | undefined;
  const isOnPath = (id: string) => {
    ids ??= new Set(heads.map((head) => head.id));
    return ids.has(id);
  };
  const isInTree = (id: string) => {
    const head = tree.get(id);
    return head !== undefined && isCopied(head);
  };
  const copied = { has: isWhole ? isInTree : isOnPath };
  const above = (id: string) => pathTo(tree, id).heads.toReversed();
  const rootId = isWhole ? undefined : heads[0]?.id;
  return new ForkedEntries(tree, { copied, leaf, rootId, lastId: heads.at(-1)?.id, above });
}

interface Batch {
  readonly heads: readonly EntryHead[];
  readonly isVerbatim: boolean;
}

/** Neighbours that are alike. */
function* batchesOf(
  heads: readonly EntryHead[],
  isVerbatim: (head: EntryHead, before: EntryHead | undefined) => boolean,
): Generator<Batch, void> {
  let start = 0;
  let are = false;
  for (const [at, head] of heads.entries()) {
    const is = isVerbatim(head, heads[at - 1]);
    if (at > start && (is !== are || at - start === (are ? verbatimBatchSize : batchSize))) {
      yield { heads: heads.slice(start, at), isVerbatim: are };
      start = at;
    }
    are = is;
  }
  if (start < heads.length) yield { heads: heads.slice(start), isVerbatim: are };
}

function* linesOf(
  state: SessionState,
  heads: readonly EntryHead[],
  copy: ForkedEntries,
): Program<RecordBatch | CopiedLines> {
  const lines = yield* readLines(copy.headsIn(state, heads).map(({ position }) => position));
  return lines ? { lines } : yield* recordsOf(state, heads, copy);
}

function* recordsOf(state: SessionState, heads: readonly EntryHead[], copy: ForkedEntries): Program<RecordBatch> {
  const entries = yield* state.entries(copy.headsIn(state, heads));
  return entries.map((entry) => copy.recordOf(entry));
}

function beforeInput(tree: SessionTree, head: EntryHead): Leaf | undefined {
  if (head.type !== "message" || head.role !== "user") throw invalidTarget(head.id, "it is not a message of the user");
  return head.parentId === null ? null : tree.positionOf(head.parentId);
}

function invalidTarget(entryId: string, reason: string): SessionError<"invalid_fork_target"> {
  return new SessionError("invalid_fork_target", `can't fork at ${entryId}: ${reason}`, { entryId, reason });
}
