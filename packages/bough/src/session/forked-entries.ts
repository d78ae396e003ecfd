import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { serialise } from "../format/encode.ts";
import { Ascent } from "../tree/path.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import { label, sessionInfo } from "./appenders.ts";
import { type EntryFactory, placed } from "./entry-factory.ts";
import type { EntryRecord, RecordBatch } from "./entry-log.ts";
import type { Program } from "./program.ts";
import type { SessionState } from "./session-state.ts";

/** Those that refer to others which may stay behind. */
const referringTypes: ReadonlySet<string> = new Set(["compaction", "branch_summary"]);

/** What a fork holds, to be written in this order, a piece a program, so that the source's bodies pass through in pieces. */
export interface ForkContent<Piece> {
  readonly inheritedEntries: number;
  readonly pieces: Iterable<Program<Piece>>;
}

/** What a fork takes of a session. */
export interface ForkScope {
  readonly copied: { has(id: string): boolean };
  readonly leaf: Leaf;
  /** Of a path, what becomes its root. */
  readonly rootId?: string | undefined;
  /** What is copied last. */
  readonly lastId: string | undefined;
}

/** What becomes of entries that are taken along, and of what the marks that stay behind say. */
export class ForkedEntries {
  readonly #tree: SessionTree;
  readonly #scope: ForkScope;
  readonly #copied: ForkScope["copied"];

  constructor(tree: SessionTree, scope: ForkScope) {
    this.#tree = tree;
    this.#scope = scope;
    this.#copied = scope.copied;
  }

  /** Whether an entry is the same in the copy, as far as its head tells. */
  isVerbatim(head: EntryHead): boolean {
    const { id, parentId, isTranslated } = head;
    if (isTranslated || this.#losesTarget(head)) return false;
    return parentId === null || (id !== this.#scope.rootId && this.#copied.has(parentId));
  }

  #losesTarget({ type, targetId }: EntryHead): boolean {
    if (!referringTypes.has(type) || typeof targetId !== "string") return false;
    return this.#tree.has(targetId) && !this.#copied.has(targetId);
  }

  /** Not validated: what a stored session holds is copied whatever its shape. */
  recordOf(entry: SessionTreeEntry): EntryRecord {
    return serialise({ ...entry, parentId: this.#parentOf(entry), ...this.#references(entry) });
  }

  /** Not validated either: a time may be whatever a stored label has. */
  marks(factory: EntryFactory): EntryRecord[] {
    const { leaf, lastId = null } = this.#scope;
    const records: EntryRecord[] = [];
    const add = (draft: EntryDraft, timestamp = new Date(factory.now()).toISOString()) =>
      records.push(serialise(placed(draft, { id: factory.newId(), parentId: leaf, timestamp })));
    if (leaf !== lastId) add({ type: "leaf", targetId: leaf });
    for (const [targetId, { text, timestamp }] of this.#tree.labels()) {
      if (this.#copied.has(targetId)) add(label(targetId, text), timestamp);
    }
    if (this.#tree.name !== undefined) add(sessionInfo(this.#tree.name));
    return records;
  }

  #parentOf({ id, parentId }: SessionTreeEntry): Leaf {
    return id === this.#scope.rootId ? null : this.#nearest(parentId);
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
    const above = new Ascent(this.#tree, compactionId);
    for (let steps = 0, head = above.at(0); head; head = above.at(++steps)) {
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

export function isCopied(head: EntryHead): boolean {
  return kindOf(head) !== "mark";
}

// biome-ignore lint/correctness/useYield: marks are written from what the tree knows
export function* marksOf(state: SessionState, entries: ForkedEntries): Program<RecordBatch> {
  return entries.marks(state.factory);
}
