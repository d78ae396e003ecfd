import type { Diagnostic } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import { type EntryHead, headOf, type Position } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import { Ascent } from "../tree/path.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import type { SessionStats, Statistics } from "../tree/statistics.ts";
import { type AppendRequest, type AppendResult, choosesIds, parentOf } from "./append-request.ts";
import { type Arrival, isAnyId, isNoId, type Observer, ownership } from "./arrival.ts";
import { asSyncLog } from "./async-log.ts";
import { type Attempt, batchesOf, isProgram, marksOf, prepare, refusal, settle } from "./attempt.ts";
import { ContextMemory } from "./context-memory.ts";
import { type EntryFactory, newPlace, placed, systemFactory } from "./entry-factory.ts";
import type {
  Appended,
  EntryLog,
  LogChange,
  OlderStretch,
  OlderUse,
  ReadUse,
  RecordBatch,
  SyncEntryLog,
} from "./entry-log.ts";
import { HeadIndex } from "./head-index.ts";
import { noEntry, unknownParent } from "./missing.ts";
import { append, changes, type Program, pause, read, runSync } from "./program.ts";
import type { Progress } from "./progress.ts";
import { recordOf } from "./record.ts";
import { RunningCount } from "./running-count.ts";

/**
 * What is known of one open log, and the order in which it is appended to. Its methods are programs that a synchronous
 * or an asynchronous face runs. Of a log that can be read from its end only as much is known as was asked for: an id
 * that isn't found among it, and the `tree`, make it read further back at once.
 *
 * Marks hang from the leaf of the file, so that they move nobody's leaf in any reader. If the read-back shows that
 * someone wrote in between and the mark took the file's leaf along after all, a `leaf` entry naming the position
 * before it is owed and written next.
 */
export class SessionState {
  readonly factory: EntryFactory;
  /** The log, if its I/O is synchronous. */
  readonly syncLog: SyncEntryLog | undefined;
  /** Built lately. */
  readonly contexts = new ContextMemory();
  readonly #log: EntryLog | SyncEntryLog;
  #index: HeadIndex;
  readonly #setAside = new Set<string>();
  #diagnostics: readonly Diagnostic[] = [];
  readonly #count = new RunningCount();
  /** All bodies were looked at. */
  #isProven = false;
  /** Something that was known is gone: where somebody stands may be. */
  #hasLost = false;
  #owed: OwedLeaf | undefined;

  constructor(log: EntryLog | SyncEntryLog, factory: EntryFactory = systemFactory) {
    this.factory = factory;
    this.syncLog = asSyncLog(log);
    this.#log = log;
    this.#index = this.#emptyIndex();
  }

  get header(): SessionHeader {
    return this.#log.header;
  }

  /** A fold over all of the log as heads show it; whether a body can be used is known once it was read. */
  get tree(): SessionTree {
    return this.#index.tree;
  }

  /** What was wrong with the records of the log, as far as it was read, in log order; the tree's own findings are the tree's. */
  get diagnostics(): readonly Diagnostic[] {
    if (this.#index.isWhole) this.#older();
    return this.#diagnostics.toSorted((a, b) => (a.byteStart ?? 0) - (b.byteStart ?? 0));
  }

  /** The position of the last entry of the file. */
  get leaf(): Leaf {
    return this.#index.leaf;
  }

  /** As `positionOf`, at once: heads that were not read whole are those of a synchronous log. */
  placeOf(id: string): Leaf {
    const position = this.syncLog ? runSync(this.findPosition(id), this.syncLog) : this.#index.positionOf(id);
    if (position === undefined) throw noEntry(id);
    return position;
  }

  get(id: string): EntryHead | undefined {
    return this.#index.get(id);
  }

  has(id: string): boolean {
    return this.#index.has(id);
  }

  /** All heads, the last one first; older ones are read as they are asked for. */
  headsBackwards(): Iterable<EntryHead> {
    return this.#index.backwards();
  }

  /** An id for an entry to come, which nothing else will get. */
  setAside(): string {
    const { id } = newPlace(this);
    this.#setAside.add(id);
    return id;
  }

  /** Whether an entry may be given `id`. One that was set aside is free without a look at all entries there are. */
  claim(id: string): boolean {
    return this.#setAside.delete(id) || !this.has(id);
  }

  /** Takes in what the log has to say since last time. Answers with heads new to this state, in log order. */
  *refresh(): Program<readonly EntryHead[]> {
    const heads = this.#apply(yield* changes(this.#log.older ? "end" : "whole"));
    if (heads.length > 0) this.contexts.forget();
    yield* this.#proveLeaf();
    return heads;
  }

  /** What a request names may be what others wrote meanwhile. That nothing can be seen is for the append to tell. */
  *#lookAgain(observe: Observer): Program<void> {
    try {
      const heads = yield* this.refresh();
      this.#tell(observe, { heads, isOwn: isNoId, requested: false });
    } catch {
      // As before.
    }
  }

  /** The body of one entry; undefined if there is no such entry. */
  *entry(id: string): Program<SessionTreeEntry | undefined> {
    const head = this.get(id);
    return head && (yield* read([head.position]))[0];
  }

  /** Throws `not_found` if one is there no more. */
  *entries(heads: readonly EntryHead[], use?: ReadUse): Program<readonly SessionTreeEntry[]> {
    return yield* read(this.#positionsOf(heads), use);
  }

  /** Of heads that were handed out before the log was replaced, those that are still there, as they are now. */
  present(heads: readonly EntryHead[]): readonly EntryHead[] {
    return heads.flatMap(({ id }) => this.get(id) ?? []);
  }

  /** Looked up again: positions are void once the log was replaced. */
  #positionsOf(heads: readonly EntryHead[]): readonly Position[] {
    return heads.map(({ id }) => this.requireHead(id).position);
  }

  /** The path to `leaf`, walked no further than it is asked for. */
  ascent(leaf: Leaf): Ascent {
    return new Ascent(this.#index, leaf);
  }

  /** The same, of messages in a row that hang from each other only the first. */
  ascentWithoutRuns(leaf: Leaf): Ascent {
    const get = (id: string) => this.#index.chainStart(id);
    return new Ascent({ get, mayHold: (type) => this.#index.mayHold(type) }, leaf);
  }

  /** The whole one for whoever is going to read the bodies of what he walks. */
  readingAscent(leaf: Leaf): Ascent {
    const get = (id: string) => this.#index.get(id, "bodies");
    return new Ascent({ get, mayHold: (type) => this.#index.mayHold(type) }, leaf);
  }

  /** Whether a walk up from `leaf`, itself included, meets an entry. */
  isMetFrom(leaf: Leaf, id: string): boolean {
    return this.#index.isMetFrom(leaf, id);
  }

  /** The path to `leaf`, root first. */
  *path(leaf: Leaf): Program<readonly SessionTreeEntry[]> {
    return yield* this.entries(this.readingAscent(leaf).whole().heads);
  }

  /** The entry that stands for `id` in a conversation (see `Positions.of`); undefined if none does. */
  *findPosition(id: string): Program<Leaf | undefined> {
    for (;;) {
      const position = this.#index.positionOf(id);
      const head = typeof position === "string" ? this.get(position) : undefined;
      if (!head?.unread) return position;
      yield* this.prove([head]);
    }
  }

  /** Throws `not_found`. */
  *positionOf(id: string): Program<Leaf> {
    const position = yield* this.findPosition(id);
    if (position === undefined) throw noEntry(id);
    return position;
  }

  /** Throws `not_found`. */
  requireHead(id: string): EntryHead {
    const head = this.get(id);
    if (!head) throw noEntry(id);
    return head;
  }

  /** One of which the body was looked at. Throws `not_found`. */
  *provenHead(id: string): Program<EntryHead> {
    yield* this.prove([this.requireHead(id)]);
    return this.requireHead(id);
  }

  /** Reads those of `heads` of which only the front was looked at, so that tree and index know what their bodies tell. */
  *prove(heads: readonly EntryHead[]): Program<void> {
    const unread = heads.filter((head) => head.unread);
    if (unread.length === 0) return;
    const entries = yield* read(this.#positionsOf(unread), "shape");
    for (const [index, { position }] of unread.entries()) {
      this.#index.correct(headOf(entries[index] as SessionTreeEntry, position));
    }
  }

  /** The tree when all bodies were looked at; see `eachBody`. */
  *provenTree(observe: Progress = () => undefined): Program<SessionTree> {
    if (!this.#isProven) yield* this.eachBody(observe, passOver);
    return this.tree;
  }

  /** Counts over all branches. Reads every body the first time; what comes later, or meanwhile, is added. */
  *statistics(observe: Progress = () => undefined): Program<SessionStats> {
    return yield* this.#count.snapshot(
      () => this.tree.inherited,
      (counted) => this.#countInto(counted, observe),
    );
  }

  *#countInto(counted: Statistics, observe: Progress): Program<void> {
    // biome-ignore lint/correctness/useYield: counting reads nothing
    yield* this.eachBody(observe, function* (batch) {
      for (const { head, entry } of batch) counted.add(headOf(entry, head.position));
    });
  }

  /**
   * Hands over all entries in log order, batch by batch. Of those that turn out damaged the tree is told; of the others the
   * heads stay as they are, since all of them together would be a history in memory. Of a log that is replaced meanwhile
   * those come that are still there. `observe` hears how many went by, and may throw to end it.
   */
  *eachBody(observe: Progress, visit: BodyVisitor, readBatch = read): Program<void> {
    const index = this.#index;
    const { size } = this.tree;
    let done = 0;
    let turn = Date.now();
    for (const heads of inBatches(this.tree.heads())) {
      observe(done, size);
      if (Date.now() - turn >= turnLength) {
        yield* pause();
        turn = Date.now();
      }
      const there = index === this.#index ? heads : this.present(heads);
      yield* visit(yield* this.#batch(there, readBatch));
      done += heads.length;
    }
    observe(size, size);
    if (index === this.#index) this.#isProven = true;
  }

  *#batch(heads: readonly EntryHead[], readBatch: typeof read): Program<readonly ReadEntry[]> {
    const entries = yield* readBatch(
      heads.map((head) => head.position),
      "shape",
    );
    return heads.map((head, index) => {
      const entry = entries[index] as SessionTreeEntry;
      if (head.unread && entry.type === "damaged") this.#index.correct(headOf(entry, head.position));
      return { head, entry };
    });
  }

  #isLeafUnread(): boolean {
    const { leaf } = this;
    return leaf !== null && this.requireHead(leaf).unread === true;
  }

  *#proveLeaf(): Program<void> {
    for (let { leaf } = this; leaf !== null; leaf = this.leaf) {
      const head = this.requireHead(leaf);
      if (!head.unread) return;
      yield* this.prove([head]);
    }
  }

  /**
   * Writes requests in order, sharing the look whether they arrived. Each gets its own result: a request that is
   * refused or fails leaves the others, and the cursor it would have moved, as if it had never been made.
   */
  *commit(requests: readonly AppendRequest[], observe: Observer): Program<AppendResult[]> {
    const results: AppendResult[] = [];
    let hasLooked = requests.some(choosesIds);
    if (hasLooked) yield* this.#lookAgain(observe);
    while (results.length < requests.length) {
      if (this.#owed) yield* this.#payOwedLeaf(observe);
      const attempts: Attempt[] = [];
      if (this.#isLeafUnread()) yield* this.#proveLeaf();
      let fileLeaf = this.leaf;
      while (results.length + attempts.length < requests.length) {
        const request = requests[results.length + attempts.length] as AppendRequest;
        const attempt = yield* this.#prepared(request, attempts, fileLeaf);
        if (!hasLooked && namesUnknown(attempt)) {
          hasLooked = true;
          yield* this.#lookAgain(observe);
          if (attempts.length === 0) fileLeaf = this.leaf;
          continue;
        }
        fileLeaf = attempt.fileLeaf;
        attempts.push(attempt);
      }
      const written = yield* this.#write(attempts, observe);
      for (const result of written) results.push(result);
    }
    if (this.#owed) yield* this.#payOwedLeaf(observe);
    return results;
  }

  *#prepared(request: AppendRequest, before: readonly Attempt[], fileLeaf: Leaf): Program<Attempt> {
    const parent = this.#hasLost ? parentOf(request) : null;
    if (parent !== null && !this.has(parent) && !before.some(({ ids }) => ids.includes(parent))) {
      return refusal(unknownParent(parent), fileLeaf);
    }
    const prepared = prepare(request, this, fileLeaf);
    return isProgram(prepared) ? yield* prepared : prepared;
  }

  /** As `commit` over a log whose I/O is synchronous. What nothing has to be read for takes no program. */
  commitSync(requests: readonly AppendRequest[], observe: Observer, log: SyncEntryLog): AppendResult[] {
    const isReady =
      !this.#owed && !this.#hasLost && requests.every(({ kind }) => kind === "drafts") && !this.#isLeafUnread();
    if (!isReady) return runSync(this.commit(requests, observe), log);
    const { leaf } = this;
    const attempts = requests.map((request) => prepare(request, this, leaf) as Attempt);
    const results = this.#writeSync(attempts, observe, log);
    if (results.length === requests.length) return results;
    return [...results, ...runSync(this.commit(requests.slice(results.length), observe), log)];
  }

  #writeSync(attempts: readonly Attempt[], observe: Observer, log: SyncEntryLog): AppendResult[] {
    const batches = batchesOf(attempts);
    if (batches.length === 0) return settle(attempts, []);
    let appended: Appended;
    try {
      appended = log.append(batches);
    } catch (error) {
      return settle(attempts, [], error);
    }
    return this.#takeIn(attempts, batches, appended, observe);
  }

  *#write(attempts: readonly Attempt[], observe: Observer): Program<AppendResult[]> {
    const batches = batchesOf(attempts);
    if (batches.length === 0) return settle(attempts, []);
    let appended: Appended;
    try {
      appended = yield* append(batches);
    } catch (error) {
      return settle(attempts, [], error);
    }
    return this.#takeIn(attempts, batches, appended, observe);
  }

  #takeIn(
    attempts: readonly Attempt[],
    batches: readonly RecordBatch[],
    { change, outcomes }: Appended,
    observe: Observer,
  ): AppendResult[] {
    const heads = this.#apply(change, marksOf(attempts));
    this.#tell(observe, { heads, isOwn: ownership(heads, batches), requested: true });
    return settle(attempts, outcomes);
  }

  *#payOwedLeaf(observe: Observer): Program<void> {
    while (this.#owed && this.#owed.movedTo === this.leaf) {
      const owed = this.#owed;
      const entry = placed({ type: "leaf", targetId: owed.leaf }, { ...newPlace(this), parentId: owed.leaf });
      let appended: Appended;
      try {
        appended = yield* append([[recordOf(entry)]]);
      } catch {
        // What refuses this refuses the next request too, and that one has somebody to tell.
        return;
      }
      const { outcomes, change } = appended;
      if (outcomes[0]?.status === "failed") return;
      this.#owed = undefined;
      const own = new Set([entry.id]);
      const heads = this.#apply(change, own, owed.movedTo);
      this.#tell(observe, { heads, isOwn: (id) => own.has(id), requested: false });
    }
    this.#owed = undefined;
  }

  /** What others wrote may repeat an id, and with it change any path. */
  #tell(observe: Observer, arrival: Arrival): void {
    const { heads, isOwn } = arrival;
    if (isOwn !== isAnyId && !heads.every(({ id }) => isOwn(id))) this.contexts.forget();
    observe(arrival);
  }

  /**
   * Answers with the heads whose ids were not known. `marks`: own entries that should move the file's leaf nowhere, or only
   * away from `from`.
   */
  #apply(change: LogChange, marks: ReadonlySet<string> = noMarks, from?: Leaf): readonly EntryHead[] {
    const known = this.#index;
    if (change.kind === "replaced") {
      this.contexts.forget();
      this.#index = this.#emptyIndex();
      this.#diagnostics = change.diagnostics;
      this.#count.forget();
      this.#isProven = false;
    } else if (change.diagnostics.length > 0) {
      this.#diagnostics = [...this.#diagnostics, ...change.diagnostics];
    }
    let repeated: Set<EntryHead> | undefined;
    for (const head of change.heads) {
      if (this.#count.isFollowing) this.#follow(head);
      const isNew = marks.has(head.id) ? this.#applyMark(head, from) : this.#index.add(head);
      if (!isNew) repeated = (repeated ?? new Set()).add(head);
    }
    if (repeated) this.contexts.forget();
    const heads = repeated ? change.heads.filter((head) => !repeated.has(head)) : change.heads;
    if (change.kind === "grown") return heads;
    this.#hasLost ||= !known.isWithin(this.#index);
    return heads.filter(({ id }) => !known.knows(id) && !change.leftIds?.has(id));
  }

  /** A head that takes the place of another needs all of them counted again. */
  #follow(head: EntryHead): void {
    if (this.#index.knows(head.id)) this.#count.forget();
    else this.#count.add(head);
  }

  #applyMark(head: EntryHead, from: Leaf | undefined): boolean {
    const before = this.leaf;
    const isNew = this.#index.add(head);
    const movedTo = this.leaf;
    if (movedTo !== before && before !== from) this.#owed = { leaf: before, movedTo };
    return isNew;
  }

  #emptyIndex(): HeadIndex {
    const mayHold = (type: string) => this.#log.older?.mayHold(type) ?? false;
    return new HeadIndex(this.#log.header, { stretch: (use) => this.#older(use), mayHold });
  }

  #older(use?: OlderUse): OlderStretch["heads"] | undefined {
    const stretch = this.#log.older?.next(use);
    if (stretch && stretch.diagnostics.length > 0) {
      this.#diagnostics = [...stretch.diagnostics, ...this.#diagnostics];
    }
    return stretch?.heads;
  }
}

type BodyVisitor = (batch: readonly ReadEntry[]) => Program<void>;

/** An entry, and what was known of it before. */
export interface ReadEntry {
  readonly head: EntryHead;
  readonly entry: SessionTreeEntry;
}

/** The file's leaf was `leaf` until a mark of ours moved it to `movedTo`. */
interface OwedLeaf {
  readonly leaf: Leaf;
  readonly movedTo: Leaf;
}

const noMarks: ReadonlySet<string> = new Set();
/** In milliseconds; then others have theirs. */
const turnLength = 20;
/** So few that hardly any are there when garbage is collected: V8 makes room for as much as survives that. */
const batchSize = 16;

function* passOver(): Program<void> {
  // Reading them was all.
}

function* inBatches(heads: Iterable<EntryHead>): Generator<readonly EntryHead[], void> {
  let batch: EntryHead[] = [];
  for (const head of heads) {
    batch.push(head);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function namesUnknown({ refused }: Attempt): boolean {
  return isBoughError(refused?.error, "not_found") || isBoughError(refused?.error, "unknown_parent");
}
