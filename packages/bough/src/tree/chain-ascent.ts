import type { EntryHead } from "../entry/head.ts";
import type { Leaf } from "./leaf.ts";

/**
 * Neighbours in a log, by their ordinals: a head, and if it is a message, messages behind it each of which is the child of
 * the one before. `end` is beyond the last.
 */
export interface Chain {
  readonly start: number;
  readonly end: number;
}

/** Where chains are looked up. */
export interface NumberedNodes {
  ordinalOf(id: string): number | undefined;
  /** As `HeadStore.chainStart`. */
  chainStart(ordinal: number): number;
  at(ordinal: number): EntryHead;
}

/**
 * A path walked in chains from its leaf upwards, as far as each stands in the log before the one below. A path that goes
 * on with one that doesn't may run in a cycle: `isAhead`, and who wants it has to walk it entry by entry.
 */
export class ChainAscent {
  readonly #nodes: NumberedNodes;
  #next: Leaf;
  #below = Number.POSITIVE_INFINITY;
  #isAhead = false;

  constructor(nodes: NumberedNodes, leaf: Leaf) {
    this.#nodes = nodes;
    this.#next = leaf;
  }

  /** Known once the walk has ended. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  next(): Chain | undefined {
    const last = this.#next === null ? undefined : this.#nodes.ordinalOf(this.#next);
    this.#next = null;
    if (last === undefined) return undefined;
    if (last >= this.#below) {
      this.#isAhead = true;
      return undefined;
    }
    const start = this.#nodes.chainStart(last);
    this.#below = start;
    this.#next = this.#nodes.at(start).parentId;
    return { start, end: last + 1 };
  }
}
