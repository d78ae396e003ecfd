import type { Diagnostic } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { Statistics } from "./statistics.ts";

/** Where a conversation stands: the id of an entry, or null before any. */
export type Leaf = string | null;

/**
 * The state of a session as a fold over its heads in log order: index, children, labels, name, leaf, statistics.
 * Adding a head costs the head, whatever came before. Heads of any history are taken, orphans, cycles and repeated
 * ids included; of several heads with one id the last counts and takes that place in the order.
 */
export class SessionTree {
  readonly statistics: Statistics;
  readonly #nodes = new Map<string, EntryHead>();
  readonly #children = new Map<string | null, Set<string>>();
  readonly #labels = new Map<string, Label>();
  readonly #diagnostics: Diagnostic[] = [];
  #name: string | undefined;
  #leaf: Leaf = null;

  /** `inheritedEntries` and `title` as the session's header has them. */
  constructor(header: { readonly inheritedEntries?: number; readonly title?: string } = {}) {
    this.statistics = new Statistics(header.inheritedEntries ?? 0);
    this.#name = sessionName(header.title);
  }

  add(head: EntryHead): void {
    const replaced = this.#nodes.get(head.id);
    if (replaced) this.#remove(replaced);
    this.#nodes.set(head.id, head);
    this.#siblings(head.parentId).add(head.id);
    this.statistics.add(head);
    this.#applyMark(head);
    this.#applyPosition(head);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** The position of the last entry in log order. */
  get leaf(): Leaf {
    return this.#leaf;
  }

  /** The last name given, wherever it stands; undefined if none or cleared. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Leaf records that named nothing, in log order. Structural faults are found by `structure`. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  get(id: string): EntryHead | undefined {
    return this.#nodes.get(id);
  }

  /** All heads in log order. */
  heads(): IterableIterator<EntryHead> {
    return this.#nodes.values();
  }

  /** Heads that name `id` as their parent (null: that name none), in log order. */
  childrenOf(id: string | null): EntryHead[] {
    return Array.from(this.#children.get(id) ?? [], (child) => this.#nodes.get(child) as EntryHead);
  }

  labelOf(id: string): string | undefined {
    return this.#labels.get(id)?.text;
  }

  /** Resolved labels by the entry they name. */
  labels(): ReadonlyMap<string, Label> {
    return this.#labels;
  }

  /**
   * Where a conversation stands that was left at `id`: a conversation, state or unknown entry stands for itself, a
   * `leaf` for its target, another mark for its parent. Undefined where that leads nowhere.
   */
  positionOf(id: string): Leaf | undefined {
    const seen = new Set<string>();
    let current: Leaf | undefined = id;
    while (current !== null) {
      const head: EntryHead | undefined = seen.has(current) ? undefined : this.#nodes.get(current);
      if (head === undefined || head.type === "damaged") return undefined;
      if (kindOf(head) !== "mark") return head.id;
      seen.add(current);
      current = head.type === "leaf" ? head.targetId : head.parentId;
      if (current === undefined) return undefined;
    }
    return null;
  }

  #siblings(parentId: string | null): Set<string> {
    const known = this.#children.get(parentId);
    if (known) return known;
    const siblings = new Set<string>();
    this.#children.set(parentId, siblings);
    return siblings;
  }

  #remove(head: EntryHead): void {
    this.#nodes.delete(head.id);
    this.#children.get(head.parentId)?.delete(head.id);
    this.statistics.remove(head);
  }

  #applyMark(head: EntryHead): void {
    if (head.type === "label" && typeof head.targetId === "string") {
      const text = head.text?.trim();
      this.#labels.delete(head.targetId);
      if (text) this.#labels.set(head.targetId, { text, timestamp: head.timestamp, entryId: head.id });
    }
    if (head.type === "session_info" || head.type === "title_change") this.#name = sessionName(head.text);
  }

  #applyPosition(head: EntryHead): void {
    const position = this.positionOf(head.id);
    if (position !== undefined) {
      this.#leaf = position;
    } else if (head.type !== "damaged") {
      this.#diagnostics.push({
        code: "unknown_leaf",
        entryId: head.id,
        message: `${head.type} ${head.id} leads to no entry; the record before it decides the leaf`,
      });
    }
  }
}

export interface Label {
  readonly text: string;
  /** When it was given, and by which entry. */
  readonly timestamp: string;
  readonly entryId: string;
}

/** A name as one line; undefined if nothing is left of it. */
export function sessionName(text: string | undefined): string | undefined {
  return text?.replace(/[\r\n]+/g, " ").trim() || undefined;
}
