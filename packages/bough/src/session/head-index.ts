import type { EntryHead } from "../entry/head.ts";
import type { Leaf } from "../tree/leaf.ts";
import { Positions } from "../tree/positions.ts";
import { SessionTree } from "../tree/session-tree.ts";

/** What stands before the heads handed out last. */
export interface OlderHeads {
  /** The next stretch, in log order; undefined at the beginning of the log. */
  stretch(): readonly EntryHead[] | undefined;
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
  /** The last stretch read comes last, so the oldest heads. */
  #stretches: (readonly EntryHead[])[] = [];
  /** What came behind them. */
  #added: EntryHead[] = [];
  #known = new Map<string, EntryHead>();
  /** Of the heads read so far, but for messages. */
  readonly #types = new Set<string>();
  readonly #positions = new Positions(this);
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

  get(id: string): EntryHead | undefined {
    if (this.#tree) return this.#tree.get(id);
    do {
      const head = this.#known.get(id);
      if (head) return head;
    } while (this.#readOn());
    return undefined;
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
    return this.#types.has(type) || (this.#tree === undefined && this.#older.mayHold(type));
  }

  /** Whether `id` is among the heads read so far. */
  knows(id: string): boolean {
    return this.#tree ? this.#tree.has(id) : this.#known.has(id);
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

  /** Takes a head in behind all others. */
  add(head: EntryHead): void {
    this.#noteType(head);
    if (this.#tree) {
      this.#tree.add(head);
      return;
    }
    if (this.#known.has(head.id)) this.#forgetLeaf();
    this.#known.set(head.id, head);
    this.#added.push(head);
    if (this.#leaf === undefined) return;
    const position = this.#positions.of(head.id);
    if (position !== undefined) this.#leaf = position;
  }

  /** Puts a head that was read whole in the place of its `unread` one. */
  correct(head: EntryHead): void {
    if (this.#tree) {
      this.#tree.correct(head);
      return;
    }
    this.#known.set(head.id, head);
    if (head.type === "damaged") this.#forgetLeaf();
  }

  /** All heads, the last one first; older ones are read as they are asked for. */
  *backwards(): Iterable<EntryHead> {
    if (this.#tree) yield* [...this.#tree.heads()].reverse();
    else yield* this.#backwards();
  }

  #forgetLeaf(): void {
    this.#leaf = undefined;
    this.#positions.forget();
  }

  #lastPosition(): Leaf {
    for (const head of this.#backwards()) {
      const position = this.#positions.of(head.id);
      if (position !== undefined) return position;
    }
    return null;
  }

  *#backwards(): Iterable<EntryHead> {
    yield* backwards(this.#added);
    for (let index = 0; index < this.#stretches.length || this.#readOn(); index++) {
      yield* backwards(this.#stretches[index] as readonly EntryHead[]);
    }
  }

  #readOn(): boolean {
    const heads = this.#older.stretch();
    if (heads) this.#take(heads);
    return heads !== undefined;
  }

  #noteType({ type }: EntryHead): void {
    if (type !== "message") this.#types.add(type);
  }

  #take(heads: readonly EntryHead[]): void {
    // Of several heads with one id the last counts, within a stretch and over all.
    for (let at = heads.length - 1; at >= 0; at--) {
      const head = heads[at] as EntryHead;
      if (!this.#known.has(head.id)) this.#known.set(head.id, head);
      this.#noteType(head);
    }
    this.#stretches.push(heads);
  }

  #planted(): SessionTree {
    const rest = this.#readRest();
    for (const heads of rest) for (const head of heads) this.#noteType(head);
    const tree = new SessionTree(this.#header);
    for (const stretch of [...rest.reverse(), ...this.#stretches.reverse(), this.#added]) {
      for (const head of stretch) tree.add(this.#asCorrected(head));
    }
    this.#stretches = [];
    this.#added = [];
    this.#known = new Map();
    this.#positions.forget();
    return tree;
  }

  /** Without a place among the known ones, which the tree takes; if reading fails, what was read is known. */
  #readRest(): (readonly EntryHead[])[] {
    const rest: (readonly EntryHead[])[] = [];
    try {
      for (let heads = this.#older.stretch(); heads; heads = this.#older.stretch()) rest.push(heads);
      return rest;
    } catch (error) {
      for (const heads of rest) this.#take(heads);
      throw error;
    }
  }

  #asCorrected(head: EntryHead): EntryHead {
    if (!head.unread) return head;
    const known = this.#known.get(head.id);
    return known?.position === head.position ? known : head;
  }
}

function* backwards(heads: readonly EntryHead[]): Iterable<EntryHead> {
  for (let at = heads.length - 1; at >= 0; at--) yield heads[at] as EntryHead;
}
