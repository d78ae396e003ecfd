import type { EntryHead } from "../entry/head.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader, type SessionMetadata } from "../entry/header.ts";
import { SessionError } from "../errors.ts";
import type { Chain } from "../tree/chain-ascent.ts";
import { countOf } from "../tree/chains.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import type { EntryFactory } from "./entry-factory.ts";
import type { CopiedLines, RecordBatch, RecordRun } from "./entry-log.ts";
import { type ForkContent, ForkedEntries, isCopied, marksOf } from "./forked-entries.ts";
import { type Program, readLines } from "./program.ts";
import type { SessionState } from "./session-state.ts";

/**
 * A fork copies entries of the conversation with their ids and times. Marks stay behind: what hung from a mark hangs
 * from the entry the mark stood at, the labels and the name in force are written anew, and a reference to an entry that
 * stays behind names the nearest one that came along.
 */
export interface ForkPlan {
  /** What is copied, in log order; of a path in its order. */
  readonly chains: readonly Chain[];
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
  const isChainCopied = ({ start }: Chain) => isCopied(tree.chains.at(start));
  if (entryId === undefined) {
    return { chains: Array.from(tree.chains.all()).filter(isChainCopied), leaf: tree.leaf, isWhole: true };
  }
  const head = tree.get(entryId);
  if (!head) throw new SessionError("not_found", `no entry ${entryId}`, { what: "entry", id: entryId });
  const leaf = position === "at" ? tree.positionOf(entryId) : beforeInput(tree, head);
  if (leaf === undefined) throw invalidTarget(entryId, "it stands for no place in the conversation");
  return { chains: tree.chains.to(leaf).filter(isChainCopied), leaf, isWhole: false };
}

/** Looks whether the entries can be used that a fork ends at, which heads don't tell. */
export function* proveTarget(state: SessionState, { entryId, position }: ForkTarget): Program<void> {
  if (entryId === undefined) return;
  yield* state.findPosition(entryId);
  const parentId = position === "before" ? state.get(entryId)?.parentId : undefined;
  if (typeof parentId === "string") yield* state.findPosition(parentId);
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

/** Of entries that are read. */
const batchSize = 256;
/** Of entries that nobody looks at. */
const verbatimBatchSize = 2048;

/** As records. Throws as `planFork` does. */
export function forkRecords(state: SessionState, target: ForkTarget): ForkContent<RecordBatch> {
  const fork = plannedFork(state, target);
  return { inheritedEntries: countOf(fork.chains), pieces: recordPieces(fork) };
}

/** The same, and of what doesn't change the lines that keep it, where the source has such. */
export function forkCopies(state: SessionState, target: ForkTarget): ForkContent<RecordBatch | CopiedLines> {
  const fork = plannedFork(state, target);
  return { inheritedEntries: countOf(fork.chains), pieces: copyPieces(fork) };
}

/** What is copied of a session, and how. */
interface PlannedFork {
  readonly state: SessionState;
  readonly tree: SessionTree;
  readonly chains: readonly Chain[];
  readonly copy: ForkedEntries;
}

function plannedFork(state: SessionState, target: ForkTarget): PlannedFork {
  const { tree } = state;
  const { chains, leaf, isWhole } = planFork(tree, target);
  const [first, last] = [chains.at(0), chains.at(-1)];
  const copy = new ForkedEntries(tree, {
    copied: tree.chains.idsIn(chains),
    leaf,
    rootId: isWhole || !first ? undefined : tree.chains.at(first.start).id,
    lastId: last && tree.chains.at(last.end - 1).id,
  });
  return { state, tree, chains, copy };
}

function* recordPieces(fork: PlannedFork): Generator<Program<RecordBatch>, void, void> {
  for (const batch of batchesOf(fork.chains, batchSize)) yield recordsOf(fork, batch);
  yield marksOf(fork.state, fork.copy);
}

function* copyPieces(fork: PlannedFork): Generator<Program<RecordBatch | CopiedLines>, void, void> {
  let verbatim: Chain[] = [];
  for (const chain of fork.chains) {
    const { start, end } = chain;
    if (fork.copy.isVerbatim(fork.tree.chains.at(start))) {
      verbatim.push(chain);
      continue;
    }
    yield* linePieces(fork, verbatim);
    yield recordsOf(fork, [{ start, end: start + 1 }]);
    verbatim = end - start > 1 ? [{ start: start + 1, end }] : [];
  }
  yield* linePieces(fork, verbatim);
  yield marksOf(fork.state, fork.copy);
}

function* linePieces(fork: PlannedFork, chains: readonly Chain[]): Generator<Program<RecordBatch | CopiedLines>, void> {
  for (const batch of batchesOf(chains, verbatimBatchSize)) yield linesOf(fork, batch);
}

/** Chains of `most` entries together, cut where one is longer. */
function* batchesOf(chains: readonly Chain[], most: number): Generator<readonly Chain[], void> {
  let batch: Chain[] = [];
  let room = most;
  for (const { start, end } of chains) {
    for (let from = start; from < end; ) {
      const to = Math.min(end, from + room);
      batch.push({ start: from, end: to });
      room -= to - from;
      from = to;
      if (room > 0) continue;
      yield batch;
      batch = [];
      room = most;
    }
  }
  if (batch.length > 0) yield batch;
}

function* linesOf(fork: PlannedFork, chains: readonly Chain[]): Program<RecordBatch | CopiedLines> {
  const lines = yield* readLines(runsOf(fork, chains));
  return lines ? { lines } : yield* recordsOf(fork, chains);
}

function* recordsOf(fork: PlannedFork, chains: readonly Chain[]): Program<RecordBatch> {
  const entries = yield* fork.state.entries(chains.flatMap((chain) => headsOf(fork, chain)));
  return entries.map((entry) => fork.copy.recordOf(entry));
}

function runsOf(fork: PlannedFork, chains: readonly Chain[]): readonly RecordRun[] {
  const { state, tree } = fork;
  if (state.tree === tree) {
    return chains.map(({ start, end }) => ({
      first: tree.chains.positionAt(start),
      last: tree.chains.positionAt(end - 1),
    }));
  }
  return chains.flatMap((chain) => headsOf(fork, chain)).map(({ position }) => ({ first: position, last: position }));
}

/** As they are now: positions are void once the log was replaced. */
function headsOf({ state, tree }: PlannedFork, chain: Chain): readonly EntryHead[] {
  const heads = tree.chains.headsOf(chain);
  return state.tree === tree ? heads : heads.map(({ id }) => state.requireHead(id));
}

function beforeInput(tree: SessionTree, head: EntryHead): Leaf | undefined {
  if (head.type !== "message" || head.role !== "user") throw invalidTarget(head.id, "it is not a message of the user");
  return head.parentId === null ? null : tree.positionOf(head.parentId);
}

function invalidTarget(entryId: string, reason: string): SessionError<"invalid_fork_target"> {
  return new SessionError("invalid_fork_target", `can't fork at ${entryId}: ${reason}`, { entryId, reason });
}
