import type { Diagnostic } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import { pathTo } from "../tree/path.ts";
import { type Leaf, SessionTree } from "../tree/session-tree.ts";
import type { AppendRequest, AppendResult } from "./append-request.ts";
import { type Attempt, isProgram, prepare, settle } from "./attempt.ts";
import { type EntryFactory, newPlace, placed } from "./entry-factory.ts";
import type { Appended, LogChange, RecordBatch } from "./entry-log.ts";
import { noEntry } from "./missing.ts";
import { append, changes, type Program, read } from "./program.ts";
import { recordOf } from "./record.ts";

/** Heads that became known, in log order, after they were applied. */
export interface Arrival {
  readonly heads: readonly EntryHead[];
  /** Whether this process wrote one of them. */
  readonly isOwn: (id: string) => boolean;
  /** Whether a request waits for its acknowledgement. */
  readonly requested: boolean;
}

export type Observer = (arrival: Arrival) => void;

/**
 * What is known of one open log, and the order in which it is appended to. It does no I/O itself: its methods are
 * programs that a synchronous or an asynchronous face runs.
 *
 * Marks hang from the leaf of the file, so that they move nobody's leaf in any reader. If the read-back shows that
 * someone wrote in between and the mark took the file's leaf along after all, a `leaf` entry naming the position
 * before it is owed and written next.
 */
export class SessionState {
  readonly factory: EntryFactory;
  readonly #log: { readonly header: SessionHeader };
  #tree: SessionTree;
  #diagnostics: readonly Diagnostic[] = [];
  #owed: OwedLeaf | undefined;

  constructor(log: { readonly header: SessionHeader }, factory: EntryFactory) {
    this.factory = factory;
    this.#log = log;
    this.#tree = new SessionTree(log.header);
  }

  get header(): SessionHeader {
    return this.#log.header;
  }

  get tree(): SessionTree {
    return this.#tree;
  }

  /** What was wrong with the records of the log, in log order; the tree's own findings are the tree's. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Takes in what the log has to say since last time. Answers with heads new to this state, in log order. */
  *refresh(): Program<readonly EntryHead[]> {
    return this.#apply(yield* changes());
  }

  /** The body of one entry; undefined if there is no such entry. */
  *entry(id: string): Program<SessionTreeEntry | undefined> {
    const head = this.#tree.get(id);
    return head && (yield* read([head.position]))[0];
  }

  /** The bodies of heads, looked up again: those handed out before the log was replaced have positions that are void. */
  *entries(heads: readonly EntryHead[]): Program<readonly SessionTreeEntry[]> {
    return yield* read(heads.map((head) => (this.#tree.get(head.id) ?? head).position));
  }

  /** The path to `leaf`, root first. */
  *path(leaf: Leaf): Program<readonly SessionTreeEntry[]> {
    return yield* this.entries(pathTo(this.#tree, leaf).heads);
  }

  /** The entry that stands for `id` in a conversation (see `SessionTree.positionOf`). Throws `not_found`. */
  positionOf(id: string): Leaf {
    const position = this.#tree.positionOf(id);
    if (position === undefined) throw noEntry(id);
    return position;
  }

  /** Throws `not_found`. */
  requireHead(id: string): EntryHead {
    const head = this.#tree.get(id);
    if (!head) throw noEntry(id);
    return head;
  }

  /**
   * Writes requests in order, sharing the look whether they arrived. Each gets its own result: a request that is
   * refused or fails leaves the others, and the cursor it would have moved, as if it had never been made.
   */
  *commit(requests: readonly AppendRequest[], observe: Observer): Program<AppendResult[]> {
    const results: AppendResult[] = [];
    while (results.length < requests.length) {
      if (this.#owed) yield* this.#payOwedLeaf(observe);
      const attempts: Attempt[] = [];
      let fileLeaf = this.#tree.leaf;
      for (let next = results.length; next < requests.length; next++) {
        const prepared = prepare(requests[next] as AppendRequest, this, fileLeaf);
        const attempt: Attempt = isProgram(prepared) ? yield* prepared : prepared;
        fileLeaf = attempt.fileLeaf;
        attempts.push(attempt);
      }
      results.push(...(yield* this.#write(attempts, observe)));
    }
    if (this.#owed) yield* this.#payOwedLeaf(observe);
    return results;
  }

  *#write(attempts: readonly Attempt[], observe: Observer): Program<AppendResult[]> {
    const batches = attempts.map((attempt) => attempt.records).filter((records) => records.length > 0);
    if (batches.length === 0) return settle(attempts, []);
    let appended: Appended;
    try {
      appended = yield* append(batches);
    } catch (error) {
      return settle(attempts, [], error);
    }
    const heads = this.#apply(appended.change, marksOf(attempts));
    observe({ heads, isOwn: ownership(heads, batches), requested: true });
    return settle(attempts, appended.outcomes);
  }

  *#payOwedLeaf(observe: Observer): Program<void> {
    while (this.#owed?.movedTo === this.#tree.leaf) {
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
      observe({ heads: this.#apply(change, own, owed.movedTo), isOwn: (id) => own.has(id), requested: false });
    }
    this.#owed = undefined;
  }

  /** `marks`: own entries that should move the file's leaf nowhere, or only away from `from`. */
  #apply(change: LogChange, marks: ReadonlySet<string> = none, from?: Leaf): readonly EntryHead[] {
    const known = this.#tree;
    if (change.kind === "replaced") {
      this.#tree = new SessionTree(this.#log.header);
      this.#diagnostics = change.diagnostics;
    } else if (change.diagnostics.length > 0) {
      this.#diagnostics = [...this.#diagnostics, ...change.diagnostics];
    }
    const fresh = change.kind === "replaced" ? change.heads.filter((head) => !known.has(head.id)) : change.heads;
    for (const head of change.heads) {
      const before = this.#tree.leaf;
      this.#tree.add(head);
      const movedTo = this.#tree.leaf;
      if (marks.has(head.id) && movedTo !== before && before !== from) this.#owed = { leaf: before, movedTo };
    }
    return fresh;
  }
}

/** The file's leaf was `leaf` until a mark of ours moved it to `movedTo`. */
interface OwedLeaf {
  readonly leaf: Leaf;
  readonly movedTo: Leaf;
}

const none: ReadonlySet<string> = new Set();

function marksOf(attempts: readonly Attempt[]): ReadonlySet<string> {
  const areNone = attempts.every(({ marks }) => marks.length === 0);
  return areNone ? none : new Set(attempts.flatMap(({ marks }) => marks));
}

/** Tells apart what was written in `batches`; nearly always that is all there is. */
function ownership(heads: readonly EntryHead[], batches: readonly RecordBatch[]): Arrival["isOwn"] {
  const written = batches.length === 1 ? (batches[0] as RecordBatch) : batches.flat();
  if (heads.length === written.length && heads.every(({ id }, at) => id === written[at]?.entry.id)) return () => true;
  const ids = new Set(written.map(({ entry }) => entry.id));
  return (id) => ids.has(id);
}
