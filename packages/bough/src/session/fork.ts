import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader, type SessionMetadata } from "../entry/header.ts";
import { kindOf } from "../entry/kind.ts";
import { SessionError } from "../errors.ts";
import { serialise } from "../format/encode.ts";
import { pathTo } from "../tree/path.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import { label, sessionInfo } from "./appenders.ts";
import { type EntryFactory, placed } from "./entry-factory.ts";
import type { CopiedLines, EntryRecord, RecordBatch } from "./entry-log.ts";
import { type Program, readLines } from "./program.ts";
import { recordOf } from "./record.ts";
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
  plan: ForkPlan,
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
    inheritedEntries: plan.heads.length,
  };
}

const batchSize = 256;
/** Of entries that nobody looks at. */
const verbatimBatchSize = 2048;

/** Entries that refer to others, and those that oh-my-pi writes otherwise than pi reads them. */
const rewrittenTypes: ReadonlySet<string> = new Set(["compaction", "branch_summary", "model_change"]);

/** The records of a fork in the order they are written, a batch a program, so that the source's bodies pass through in pieces. */
export function* forkRecords(state: SessionState, plan: ForkPlan): Generator<Program<RecordBatch>, void, void> {
  const copy = new Copy(state.tree, plan);
  for (const { heads } of batchesOf(plan.heads, () => false)) yield recordsOf(state, heads, copy);
  yield marksOf(state, copy);
}

/** The same, and of what doesn't change the lines that keep it, where the source has such. */
export function* forkCopies(
  state: SessionState,
  plan: ForkPlan,
): Generator<Program<RecordBatch | CopiedLines>, void, void> {
  const copy = new Copy(state.tree, plan);
  for (const { heads, isVerbatim } of batchesOf(plan.heads, (head, before) => copy.isVerbatim(head, before))) {
    yield isVerbatim ? linesOf(state, heads, copy) : recordsOf(state, heads, copy);
  }
  yield marksOf(state, copy);
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

class Copy {
  readonly #tree: SessionTree;
  readonly #plan: ForkPlan;
  /** Of a path, from the first question on. */
  #copied: ReadonlySet<string> | undefined;

  constructor(tree: SessionTree, plan: ForkPlan) {
    this.#tree = tree;
    this.#plan = plan;
  }

  /** Heads of the plan as they are now: positions are void once the log was replaced. */
  headsIn(state: SessionState, heads: readonly EntryHead[]): readonly EntryHead[] {
    return state.tree === this.#tree ? heads : heads.map(({ id }) => state.requireHead(id));
  }

  /** Whether an entry is the same in the copy, as far as its head tells; `before` is what is copied before it. */
  isVerbatim({ id, type, parentId }: EntryHead, before: EntryHead | undefined): boolean {
    if (rewrittenTypes.has(type)) return false;
    if (parentId === null || parentId === before?.id) return true;
    return this.#isCopied(parentId) && !this.#isFirst(id);
  }

  /** Not validated: what a stored session holds is copied whatever its shape. */
  recordOf(entry: SessionTreeEntry): EntryRecord {
    return serialise({ ...entry, parentId: this.#parentOf(entry), ...this.#references(entry) });
  }

  marks(factory: EntryFactory): EntryRecord[] {
    const { leaf, isWhole, heads } = this.#plan;
    const records: EntryRecord[] = [];
    const add = (draft: EntryDraft, timestamp = new Date(factory.now()).toISOString()) =>
      records.push(recordOf(placed(draft, { id: factory.newId(), parentId: leaf, timestamp })));
    if (isWhole && leaf !== (heads.at(-1)?.id ?? null)) add({ type: "leaf", targetId: leaf });
    for (const [targetId, { text, timestamp }] of this.#tree.labels()) {
      if (this.#isCopied(targetId)) add(label(targetId, text), timestamp);
    }
    if (this.#tree.name !== undefined) add(sessionInfo(this.#tree.name));
    return records;
  }

  #isCopied(id: string): boolean {
    if (this.#plan.isWhole) {
      const head = this.#tree.get(id);
      return head !== undefined && isCopied(head);
    }
    this.#copied ??= new Set(this.#plan.heads.map((head) => head.id));
    return this.#copied.has(id);
  }

  #parentOf({ id, parentId }: SessionTreeEntry): Leaf {
    return this.#isFirst(id) ? null : this.#nearest(parentId);
  }

  #isFirst(id: string): boolean {
    return !this.#plan.isWhole && id === this.#plan.heads[0]?.id;
  }

  #references(entry: SessionTreeEntry): { readonly firstKeptEntryId?: string; readonly fromId?: string } {
    if (entry.type === "compaction" && entry.firstKeptEntryId !== undefined) {
      return { firstKeptEntryId: this.#firstKept(entry.firstKeptEntryId, entry.id) };
    }
    if (entry.type === "branch_summary" && this.#tree.has(entry.fromId)) {
      return { fromId: this.#nearest(entry.fromId) ?? "root" };
    }
    return {};
  }

  /** A kept range that began at a mark begins at the next entry copied; one that was not on the path keeps nothing. */
  #firstKept(id: string, compactionId: string): string {
    if (this.#isCopied(id) || !this.#tree.has(id)) return id;
    const { heads } = pathTo(this.#tree, compactionId);
    const start = heads.findIndex((head) => head.id === id);
    const kept = start === -1 ? undefined : heads.slice(start).find((head) => this.#isCopied(head.id));
    return kept?.id ?? compactionId;
  }

  /** `id`, or the nearest of its ancestors that is copied. */
  #nearest(id: Leaf): Leaf {
    const seen = new Set<string>();
    let current = id;
    while (current !== null && !seen.has(current)) {
      if (this.#isCopied(current)) return current;
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
