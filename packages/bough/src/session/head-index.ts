import type { EntryHead } from "../entry/head.ts";
import type { Heads } from "../entry/heads.ts";
import { ChainAscent, type NumberedNodes } from "../tree/chain-ascent.ts";
import { HeadStore } from "../tree/head-store.ts";
import type { Leaf } from "../tree/leaf.ts";
import { Positions } from "../tree/positions.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { OlderUse } from "./entry-log.ts";

/** What stands before the heads handed out last. */
export interface OlderHeads {
  /** The next stretch, in log order; undefined at the beginning of the log. */
  stretch(use?: OlderUse): readonly EntryHead[] | Heads | undefined;
  /** Whether a head of a type may be there; false is certain. */
  mayHold(type: string): boolean;
}

type TreeHeader = ConstructorParameters<typeof SessionTree>[0];

/**
 * The heads of a log, of which the older ones are read when somebody asks for them: an id that is not among the known
 * ones is looked for further back, the whole tree needs all. What has been found never changes by reading on.
 */
export class HeadIndex {
  readonly #header: TreeHeader;
  readonly #older: OlderHeads;
  readonly #known = new HeadStore();
  readonly #positions = new Positions(this);
  readonly #numbered: NumberedNodes = {
    ordinalOf: (id) => this.#ordinalOf(id),
    chainStart: (ordinal) => this.#known.chainStart(ordinal),
    at: (ordinal) => this.#known.at(ordinal),
  };
  #leaf: Leaf | undefined;
  #tree: SessionTree | undefined;

  constructor(header: TreeHeader, older: OlderHeads) {
    this.#header = header;
    this.#older = older;
  }

  /** A fold over all heads, which goes on to follow what is added. */
  get tree(): SessionTree {
    this.#tree ??= this.#planted();
    return this.#tree;
  }

  /** `use` is what becomes of a path that is walked so. */
  get(id: string, use?: OlderUse): EntryHead | undefined {
    const ordinal = this.#ordinalOf(id, use);
    return ordinal === undefined ? undefined : this.#known.at(ordinal);
  }

  /** The head that begins the row of messages which `id` ends (see `HeadStore.chainStart`). */
  chainStart(id: string): EntryHead | undefined {
    const ordinal = this.#ordinalOf(id);
    return ordinal === undefined ? undefined : this.#known.at(this.#known.chainStart(ordinal));
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  /** Whether the beginning of the log was reached. */
  get isWhole(): boolean {
    return this.#tree !== undefined;
  }

  /** Whether there may be an entry of a type; false is certain. */
  mayHold(type: string): boolean {
    return this.#known.holdsType(type) || (this.#tree === undefined && this.#older.mayHold(type));
  }

  /** Whether `id` is among the heads read so far. */
  knows(id: string): boolean {
    return this.#known.has(id);
  }

  /** Whether another has all heads that were read of this one. */
  isWithin(other: HeadIndex): boolean {
    return this.#known.heads().every(({ id }) => other.knows(id));
  }

  /** As `Positions.of`. */
  positionOf(id: string): Leaf | undefined {
    return this.#tree ? this.#tree.positionOf(id) : this.#positions.of(id);
  }

  /** The position of the last entry in log order. */
  get leaf(): Leaf {
    if (this.#tree) return this.#tree.leaf;
    if (this.#leaf === undefined) this.#leaf = this.#lastPosition();
    return this.#leaf;
  }

  /** Takes a head in behind all others. Returns whether none with its id was among those read so far. */
  add(head: EntryHead): boolean {
    if (this.#tree) return this.#tree.add(head);
    const isNew = this.#known.add(head) === undefined;
    if (!isNew) this.#forgetLeaf();
    if (this.#leaf === undefined) return isNew;
    const position = this.#positions.ofHead(head);
    if (position !== undefined) this.#leaf = position;
    return isNew;
  }

  /** Puts a head that was read whole in the place of its `unread` one. */
  correct(head: EntryHead): void {
    if (this.#tree) {
      this.#tree.correct(head);
      return;
    }
    this.#known.correct(head);
    if (head.type === "damaged") this.#forgetLeaf();
  }

  /** All heads, the last one first; older ones are read as they are asked for. */
  *backwards(): Iterable<EntryHead> {
    for (let ordinal = this.#known.end - 1; ; ordinal--) {
      while (ordinal < this.#known.first) if (!this.#readOn()) return;
      if (!this.#known.isSuperseded(ordinal)) yield this.#known.at(ordinal);
    }
  }

  /** Whether a walk up from `leaf`, itself included, meets an entry. */
  isMetFrom(leaf: Leaf, id: string): boolean {
    const ordinal = this.#ordinalOf(id);
    if (ordinal === undefined) return false;
    const ascent = new ChainAscent(this.#numbered, leaf);
    for (let chain = ascent.next(); chain; chain = ascent.next()) {
      if (chain.start <= ordinal && ordinal < chain.end) return true;
    }
    return ascent.isAhead && this.#isMetStepByStep(leaf, id);
  }

  #isMetStepByStep(leaf: Leaf, id: string): boolean {
    const met = new Set<string>();
    for (let at = leaf; at !== null && !met.has(at); at = this.get(at)?.parentId ?? null) {
      if (at === id) return true;
      met.add(at);
    }
    return false;
  }

  #ordinalOf(id: string, use?: OlderUse): number | undefined {
    do {
      const ordinal = this.#known.ordinalOf(id);
      if (ordinal !== undefined) return ordinal;
    } while (this.#readOn(use));
    return undefined;
  }

  #forgetLeaf(): void {
    this.#leaf = undefined;
    this.#positions.forget();
  }

  #lastPosition(): Leaf {
    for (const head of this.backwards()) {
      const position = this.#positions.of(head.id);
      if (position !== undefined) return position;
    }
    return null;
  }

  #readOn(use?: OlderUse): boolean {
    if (this.#tree) return false;
    const heads = this.#older.stretch(use);
    if (heads) this.#known.addBefore(heads);
    return heads !== undefined;
  }

  /** If reading fails, what was read is known. */
  #planted(): SessionTree {
    while (this.#readOn("all"));
    this.#positions.forget();
    return new SessionTree(this.#header, this.#known);
  }
}
