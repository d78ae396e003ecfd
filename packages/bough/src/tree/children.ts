import type { EntryHead } from "../entry/head.ts";
import type { HeadStore } from "./head-store.ts";

const nobody = -1;

/** Which entries name which one as their parent, in log order: lists that are linked by ordinals. */
export class Children {
  readonly #store: HeadStore;
  readonly #origin: number;
  #eldest: Int32Array;
  #youngest: Int32Array;
  #next: Int32Array;
  /** Of those whose parent is null or not there. */
  readonly #elsewhere = new Map<string | null, number[]>();

  /** Of all heads in the store, before which no more may be put. */
  constructor(store: HeadStore) {
    this.#store = store;
    this.#origin = store.first;
    const room = store.end - store.first;
    this.#eldest = new Int32Array(room).fill(nobody);
    this.#youngest = new Int32Array(room).fill(nobody);
    this.#next = new Int32Array(room).fill(nobody);
    for (let ordinal = store.first; ordinal < store.end; ordinal++) {
      if (!store.isSuperseded(ordinal)) this.#link(ordinal, store.at(ordinal).parentId);
    }
  }

  /** Takes in the last head of the store, which replaced none. */
  add({ id, parentId }: EntryHead): void {
    const ordinal = this.#store.end - 1;
    this.#makeRoom(ordinal - this.#origin);
    for (const child of this.#elsewhere.get(id) ?? []) this.#append(ordinal, child);
    this.#elsewhere.delete(id);
    this.#link(ordinal, parentId);
  }

  /** Their ordinals. */
  of(id: string | null): number[] {
    const parent = id === null ? undefined : this.#store.ordinalOf(id);
    if (parent === undefined) return this.#elsewhere.get(id) ?? [];
    const children: number[] = [];
    for (let at = this.#eldest[parent - this.#origin] as number; at !== nobody; at = this.#next[at] as number) {
      children.push(at + this.#origin);
    }
    return children;
  }

  #link(ordinal: number, parentId: string | null): void {
    const parent = parentId === null ? undefined : this.#store.ordinalOf(parentId);
    if (parent !== undefined) {
      this.#append(parent, ordinal);
      return;
    }
    const siblings = this.#elsewhere.get(parentId);
    if (siblings) siblings.push(ordinal);
    else this.#elsewhere.set(parentId, [ordinal]);
  }

  #append(parent: number, child: number): void {
    const [above, below] = [parent - this.#origin, child - this.#origin];
    const youngest = this.#youngest[above] as number;
    if (youngest === nobody) this.#eldest[above] = below;
    else this.#next[youngest] = below;
    this.#youngest[above] = below;
  }

  #makeRoom(index: number): void {
    if (index < this.#next.length) return;
    this.#eldest = larger(this.#eldest);
    this.#youngest = larger(this.#youngest);
    this.#next = larger(this.#next);
  }
}

function larger(column: Int32Array): Int32Array {
  const copy = new Int32Array(Math.max(64, 2 * column.length)).fill(nobody, column.length);
  copy.set(column);
  return copy;
}
