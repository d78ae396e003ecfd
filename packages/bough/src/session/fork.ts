import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader, type SessionMetadata } from "../entry/header.ts";
import { kindOf } from "../entry/kind.ts";
import { SessionError } from "../errors.ts";
import { serialise } from "../format/encode.ts";
import { pathTo } from "../tree/path.ts";
import { type Leaf, SessionTree } from "../tree/session-tree.ts";
import { label, sessionInfo } from "./appenders.ts";
import { type EntryFactory, placed } from "./entry-factory.ts";
import type { Chain, CopiedLines, EntryRecord, RecordBatch, Survey } from "./entry-log.ts";
import { type Program, readLines, survey } from "./program.ts";
import type { SessionState } from "./session-state.ts";

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

/** Entries that refer to others, and those that oh-my-pi writes otherwise than pi reads them. */
const rewrittenTypes: ReadonlySet<string> = new Set(["compaction", "branch_summary", "model_change"]);

/** What a fork holds, to be written in this order, a piece a program, so that the source's bodies pass through in pieces. */
export interface ForkContent<Piece> {
  readonly inheritedEntries: number;
  readonly pieces: Iterable<Program<Piece>>;
}

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

function plannedCopy(state: SessionState, { heads, leaf, isWhole }: ForkPlan): Copy {
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
  return new Copy(tree, { copied, leaf, isWhole, firstId: heads[0]?.id, lastId: heads.at(-1)?.id, above });
}

/** The whole of a log, of which only what is no message has to be looked at. */
function surveyedCopy(state: SessionState, found: Survey): ForkContent<RecordBatch | CopiedLines> {
  const others = new SessionTree(state.header);
  for (const { head } of found.chains) if (head.type !== "message") others.add(head);
  const isMark = (id: string) => kindOf(others.get(id) ?? message) === "mark";
  const kept = found.chains.filter(({ head }) => isCopied(head));
  let inOrder: boolean | undefined;
  const scope = {
    copied: { has: (id: string) => found.chainOf.has(id) && !isMark(id) },
    leaf: state.leaf,
    isWhole: true,
    firstId: kept[0]?.head.id,
    lastId: kept.at(-1)?.lastId,
    above: (id: string) => {
      inOrder ??= isInOrder(found);
      return inOrder ? chainsAbove(found, id) : pathTo(state.tree, id).heads.toReversed();
    },
  };
  return {
    inheritedEntries: kept.reduce((sum, { count }) => sum + count, 0),
    pieces: surveyedPieces(state, found, kept, new Copy(others, scope)),
  };
}

/** Whether every parent stands before its children: then there are no cycles. */
function isInOrder({ chains, chainOf }: Survey): boolean {
  return chains.every(({ head }) => {
    const parent = head.parentId === null ? undefined : chainOf.get(head.parentId);
    return parent === undefined || parent.head.position < head.position;
  });
}

function* chainsAbove({ chainOf }: Survey, id: string): Generator<EntryHead, void> {
  for (let current: Leaf = id; current !== null; ) {
    const head: EntryHead | undefined = chainOf.get(current)?.head;
    if (head) yield head;
    current = head?.parentId ?? null;
  }
}

function* surveyedPieces(
  state: SessionState,
  found: Survey,
  kept: readonly Chain[],
  copy: Copy,
): Generator<Program<RecordBatch | CopiedLines>, void, void> {
  let run = { start: 0, end: 0 };
  for (const chain of kept) {
    const { head, headEnd, end } = chain;
    const start = copy.isVerbatim(head) ? head.position : headEnd;
    if (run.end === head.position && start === head.position) {
      run.end = end;
      continue;
    }
    if (run.end > run.start) yield surveyedLines(found, run);
    if (start === headEnd) yield surveyedRecord(found, chain, copy);
    run = { start, end };
  }
  if (run.end > run.start) yield surveyedLines(found, run);
  yield marksOf(state, copy);
}

// biome-ignore lint/correctness/useYield: a survey reads without asking
function* surveyedLines(found: Survey, { start, end }: { start: Position; end: Position }): Program<CopiedLines> {
  return { lines: found.lines(start, end) };
}

// biome-ignore lint/correctness/useYield: a survey reads without asking
function* surveyedRecord(found: Survey, chain: Chain, copy: Copy): Program<RecordBatch> {
  return [copy.recordOf(found.read(chain))];
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

function* linesOf(state: SessionState, heads: readonly EntryHead[], copy: Copy): Program<RecordBatch | CopiedLines> {
  const lines = yield* readLines(copy.headsIn(state, heads).map(({ position }) => position));
  return lines ? { lines } : yield* recordsOf(state, heads, copy);
}

function* recordsOf(state: SessionState, heads: readonly EntryHead[], copy: Copy): Program<RecordBatch> {
  const entries = yield* state.entries(copy.headsIn(state, heads));
  return entries.map((entry) => copy.recordOf(entry));
}

// biome-ignore lint/correctness/useYield: marks are written from what the tree knows
function* marksOf(state: SessionState, copy: Copy): Program<RecordBatch> {
  return copy.marks(state.factory);
}

const message = { type: "message" };

/** What a copy takes of a session. */
interface Scope {
  readonly copied: { has(id: string): boolean };
  readonly leaf: Leaf;
  readonly isWhole: boolean;
  readonly firstId: string | undefined;
  readonly lastId: string | undefined;
  /** The path to an entry from there upwards; messages between others may be left out. */
  above(id: string): Iterable<EntryHead>;
}

class Copy {
  /** Holds at least what stays behind, and all marks. */
  readonly #tree: SessionTree;
  readonly #scope: Scope;
  readonly #copied: Scope["copied"];

  constructor(tree: SessionTree, scope: Scope) {
    this.#tree = tree;
    this.#scope = scope;
    this.#copied = scope.copied;
  }

  /** Heads of the plan as they are now: positions are void once the log was replaced. */
  headsIn(state: SessionState, heads: readonly EntryHead[]): readonly EntryHead[] {
    return state.tree === this.#tree ? heads : heads.map(({ id }) => state.requireHead(id));
  }

  /** Whether an entry is the same in the copy, as far as its head tells; `before` is what is copied before it. */
  isVerbatim({ id, type, parentId }: EntryHead, before?: EntryHead): boolean {
    if (rewrittenTypes.has(type)) return false;
    if (parentId === null || parentId === before?.id) return true;
    return this.#copied.has(parentId) && !this.#isFirst(id);
  }

  /** Not validated: what a stored session holds is copied whatever its shape. */
  recordOf(entry: SessionTreeEntry): EntryRecord {
    return serialise({ ...entry, parentId: this.#parentOf(entry), ...this.#references(entry) });
  }

  /** Not validated either: a time may be whatever a stored label has. */
  marks(factory: EntryFactory): EntryRecord[] {
    const { leaf, isWhole, lastId = null } = this.#scope;
    const records: EntryRecord[] = [];
    const add = (draft: EntryDraft, timestamp = new Date(factory.now()).toISOString()) =>
      records.push(serialise(placed(draft, { id: factory.newId(), parentId: leaf, timestamp })));
    if (isWhole && leaf !== lastId) add({ type: "leaf", targetId: leaf });
    for (const [targetId, { text, timestamp }] of this.#tree.labels()) {
      if (this.#copied.has(targetId)) add(label(targetId, text), timestamp);
    }
    if (this.#tree.name !== undefined) add(sessionInfo(this.#tree.name));
    return records;
  }

  #parentOf({ id, parentId }: SessionTreeEntry): Leaf {
    return this.#isFirst(id) ? null : this.#nearest(parentId);
  }

  #isFirst(id: string): boolean {
    return !this.#scope.isWhole && id === this.#scope.firstId;
  }

  #references(entry: SessionTreeEntry): { readonly firstKeptEntryId?: string; readonly fromId?: string } {
    if (entry.type === "compaction" && typeof entry.firstKeptEntryId === "string") {
      return { firstKeptEntryId: this.#firstKept(entry.firstKeptEntryId, entry.id) };
    }
    if (entry.type === "branch_summary" && this.#tree.has(entry.fromId)) {
      return { fromId: this.#nearest(entry.fromId) ?? "root" };
    }
    return {};
  }

  /** A kept range that began at a mark begins at the next entry copied; one that was not on the path keeps nothing. */
  #firstKept(id: string, compactionId: string): string {
    if (this.#copied.has(id) || !this.#tree.has(id)) return id;
    let kept = compactionId;
    for (const head of this.#scope.above(compactionId)) {
      if (head.id === id) return kept;
      if (this.#copied.has(head.id)) kept = head.id;
    }
    return compactionId;
  }

  /** `id`, or the nearest of its ancestors that is copied. */
  #nearest(id: Leaf): Leaf {
    const seen = new Set<string>();
    let current = id;
    while (current !== null && !seen.has(current)) {
      if (this.#copied.has(current)) return current;
      seen.add(current);
      current = this.#tree.get(current)?.parentId ?? null;
    }
    return null;
  }
}

function isCopied(head: EntryHead): boolean {
  return kindOf(head) !== "mark";
}

function beforeInput(tree: SessionTree, head: EntryHead): Leaf | undefined {
  if (head.type !== "message" || head.role !== "user") throw invalidTarget(head.id, "it is not a message of the user");
  return head.parentId === null ? null : tree.positionOf(head.parentId);
}

function invalidTarget(entryId: string, reason: string): SessionError<"invalid_fork_target"> {
  return new SessionError("invalid_fork_target", `can't fork at ${entryId}: ${reason}`, { entryId, reason });
}
