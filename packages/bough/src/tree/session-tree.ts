import type { Diagnostic } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import { storedText } from "../entry/stored-text.ts";
import { Chains } from "./chains.ts";
import { Children } from "./children.ts";
import { HeadStore } from "./head-store.ts";
import type { Leaf } from "./leaf.ts";
import { Positions } from "./positions.ts";
import { Statistics } from "./statistics.ts";

export type { Leaf } from "./leaf.ts";

/**
 * The state of a session as a fold over its heads in log order: index, children, labels, name, leaf, statistics.
 * Adding a head costs the head, whatever came before. Heads of any history are taken, orphans, cycles and repeated
 * ids included; of several heads with one id the last counts and takes that place in the order.
 */
export class SessionTree {
  /** The same heads for whoever looks at many at once. */
  readonly chains: Chains;
  readonly #store: HeadStore;
  /** From the first question on; a replaced head makes it void. */
  #children: Children | undefined;
  /** From the first question on. */
  #statistics: Statistics | undefined;
  readonly #inheritedEntries: number;
  /** From the first question on. */
  #inherited: Set<string> | undefined;
  readonly #labels = new Map<string, Label>();
  readonly #positions: Positions;
  readonly #unresolved = new Set<string>();
  readonly #title: string | undefined;
  #name: string | undefined;
  #leaf: Leaf = null;
  /** What marks say was not read yet, or a record was replaced by one that says something else. */
  #stale: boolean;

  /**
   * `inheritedEntries` and `title` as the session's header has them. A store may hold heads already, of the whole log; from
   * now on it is the tree's.
   */
  constructor(
    header: { readonly inheritedEntries?: number; readonly title?: string } = {},
    store: HeadStore = new HeadStore(),
  ) {
    this.#inheritedEntries = header.inheritedEntries ?? 0;
    this.#title = sessionName(header.title);
    this.#name = this.#title;
    this.#store = store;
    this.chains = new Chains(store);
    this.#positions = new Positions(store);
    this.#stale = store.size > 0;
  }

  /** Returns whether it takes no other's place. */
  add(head: EntryHead): boolean {
    const replaced = this.#store.add(head);
    if (replaced) this.#remove(replaced);
    else this.#children?.add(head);
    if (this.#inherited) this.#inherit(this.#inherited, head.id);
    this.#statistics?.add(head);
    if (replaced && !saysTheSame(replaced, head)) this.#stale = true;
    if (!this.#stale) this.#apply(head);
    return replaced === undefined;
  }

  /** Puts a head that was read whole in the place of its `unread` one. */
  correct(head: EntryHead): void {
    const known = this.#store.correct(head);
    if (!known) return;
    if (known.parentId !== head.parentId) this.#children = undefined;
    this.#statistics?.correct(known, head);
    if (!saysTheSame(known, head)) this.#stale = true;
  }

  get statistics(): Statistics {
    if (!this.#statistics) {
      this.#statistics = new Statistics(this.inherited);
      for (const head of this.#store.heads()) this.#statistics.add(head);
    }
    return this.#statistics;
  }

  /** The entries that came along from the session this one was forked from. */
  get inherited(): ReadonlySet<string> {
    this.#inherited ??= this.#firstIds();
    return this.#inherited;
  }

  /** All heads in log order, but for messages each of which is the child of the message right before it. */
  chainStarts(): IteratorObject<EntryHead, undefined> {
    return this.chains.all().map(({ start }) => this.chains.at(start));
  }

  get size(): number {
    return this.#store.size;
  }

  /** The position of the last entry in log order. */
  get leaf(): Leaf {
    this.#readAgain();
    return this.#leaf;
  }

  /** The last name given, wherever it stands; undefined if none or cleared. */
  get name(): string | undefined {
    this.#readAgain();
    return this.#name;
  }

  /** Marks that lead to no entry, in log order. Structural faults are found by `structureOf`. */
  get diagnostics(): readonly Diagnostic[] {
    this.#readAgain();
    return Array.from(this.#unresolved)
      .filter((id) => this.positionOf(id) === undefined)
      .map((id) => unknownLeaf(this.#store.get(id) as EntryHead));
  }

  has(id: string): boolean {
    return this.#store.has(id);
  }

  get(id: string): EntryHead | undefined {
    return this.#store.get(id);
  }

  /** All heads in log order, or those behind the entry `after`; none if it isn't there. */
  heads(after?: string): IteratorObject<EntryHead, undefined> {
    return after === undefined ? this.#store.heads() : this.#store.headsBehind(after);
  }

  /** Heads that name `id` as their parent (null: that name none), in log order. */
  childrenOf(id: string | null): EntryHead[] {
    this.#children ??= new Children(this.#store);
    return this.#children.of(id).map((ordinal) => this.#store.at(ordinal));
  }

  labelOf(id: string): string | undefined {
    this.#readAgain();
    return this.#labels.get(id)?.text;
  }

  /** Resolved labels by the entry they name. */
  labels(): ReadonlyMap<string, Label> {
    this.#readAgain();
    return this.#labels;
  }

  /** As `Positions.of`. */
  positionOf(id: string): Leaf | undefined {
    this.#readAgain();
    return this.#positions.of(id);
  }

  #remove(head: EntryHead): void {
    this.#children = undefined;
    this.#unresolved.delete(head.id);
    this.#positions.forget(head.id);
    this.#statistics?.remove(head);
  }

  #readAgain(): void {
    if (!this.#stale) return;
    this.#stale = false;
    this.#labels.clear();
    this.#positions.forget();
    this.#unresolved.clear();
    this.#name = this.#title;
    this.#leaf = null;
    // All that a message says is where the leaf is.
    for (const ordinal of this.#store.withoutRuns()) this.#apply(this.#store.at(ordinal));
  }

  #firstIds(): Set<string> {
    const ids = new Set<string>();
    const { first, end } = this.#store;
    for (let ordinal = first; ordinal < end; ordinal++) {
      if (!this.#inherit(ids, this.#store.idAt(ordinal))) break;
    }
    return ids;
  }

  /** Returns whether there may be more of them. */
  #inherit(inherited: Set<string>, id: string): boolean {
    if (inherited.size >= this.#inheritedEntries) return false;
    inherited.add(id);
    return true;
  }

  #apply(head: EntryHead): void {
    this.#applyMark(head);
    this.#applyPosition(head);
  }

  #applyMark(head: EntryHead): void {
    if (head.type === "message") return;
    if (head.type === "label" && typeof head.targetId === "string") {
      const text = head.text?.trim();
      this.#labels.delete(head.targetId);
      if (text) this.#labels.set(head.targetId, { text, timestamp: head.timestamp, entryId: head.id });
    }
    if (head.type === "session_info" || head.type === "title_change") this.#name = sessionName(head.text);
  }

  #applyPosition(head: EntryHead): void {
    if (head.type === "message") {
      this.#leaf = head.id;
      return;
    }
    const position = this.positionOf(head.id);
    if (position !== undefined) this.#leaf = position;
    else if (head.type !== "damaged") this.#unresolved.add(head.id);
  }
}

function saysTheSame(one: EntryHead, other: EntryHead): boolean {
  return (
    one.type === other.type &&
    one.parentId === other.parentId &&
    one.targetId === other.targetId &&
    one.customType === other.customType &&
    one.text === other.text
  );
}

function unknownLeaf(head: EntryHead): Diagnostic {
  return {
    code: "unknown_leaf",
    entryId: head.id,
    message: `${head.type} ${head.id} leads to no entry; the record before it decides the leaf`,
  };
}

/** A tree as those see it who don't own it. Statistics need bodies, so the session is asked for them. */
export type ReadonlySessionTree = Omit<SessionTree, "add" | "chains" | "correct" | "inherited" | "statistics">;

export interface Label {
  readonly text: string;
  /** When it was given, and by which entry. */
  readonly timestamp: string;
  readonly entryId: string;
}

/** What stands for a name, as one line; undefined if nothing is left of it. */
export function sessionName(text: unknown): string | undefined {
  return (
    storedText(text)
      .replace(/[\r\n]+/g, " ")
      .trim() || undefined
  );
}
