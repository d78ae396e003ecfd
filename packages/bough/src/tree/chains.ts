import type { EntryHead, Position } from "../entry/head.ts";
import type { HeadStore } from "./head-store.ts";
import type { Leaf } from "./leaf.ts";
import { pathTo } from "./path.ts";

/**
 * Neighbours in a log, by their ordinals: a head, and if it is a message, messages behind it each of which is the child of
 * the one before. `end` is beyond the last.
 */
export interface Chain {
  readonly start: number;
  readonly end: number;
}

/** A tree in chains: as many as there are branches, marks and the like, however many messages there are. */
export class Chains {
  readonly #store: HeadStore;

  constructor(store: HeadStore) {
    this.#store = store;
  }

  /** Of all heads that count, in log order. */
  *all(): Generator<Chain, void> {
    const { first, end } = this.#store;
    for (let start = first; start < end; ) {
      let next = start + 1;
      while (next < end && this.#store.isChained(next)) next++;
      if (!this.#store.isSuperseded(start)) yield { start, end: next };
      start = next;
    }
  }

  /** Of the path to `leaf`, root first; as `pathTo`. */
  to(leaf: Leaf): readonly Chain[] {
    const chains: Chain[] = [];
    for (let last = this.#ordinalOf(leaf); last !== undefined; ) {
      const start = this.#store.chainStart(last);
      chains.push({ start, end: last + 1 });
      const parent = this.#ordinalOf(this.#store.at(start).parentId);
      // Without such a step there is no cycle.
      if (parent !== undefined && parent >= start) return this.#oneByOne(leaf);
      last = parent;
    }
    return chains.reverse();
  }

  at(ordinal: number): EntryHead {
    return this.#store.at(ordinal);
  }

  positionAt(ordinal: number): Position {
    return this.#store.positionAt(ordinal);
  }

  headsOf({ start, end }: Chain): EntryHead[] {
    return Array.from({ length: end - start }, (_, index) => this.#store.at(start + index));
  }

  /** The ids of all heads in `chains`. */
  idsIn(chains: readonly Chain[]): { has(id: string): boolean } {
    const { first, end } = this.#store;
    const isIn = new Uint8Array(end - first);
    for (const chain of chains) isIn.fill(1, chain.start - first, chain.end - first);
    return {
      has: (id) => {
        const ordinal = this.#store.ordinalOf(id);
        return ordinal !== undefined && isIn[ordinal - first] === 1;
      },
    };
  }

  #oneByOne(leaf: Leaf): readonly Chain[] {
    return pathTo(this.#store, leaf).heads.map(({ id }) => {
      const start = this.#store.ordinalOf(id) as number;
      return { start, end: start + 1 };
    });
  }

  #ordinalOf(id: Leaf): number | undefined {
    return id === null ? undefined : this.#store.ordinalOf(id);
  }
}

export function countOf(chains: readonly Chain[]): number {
  return chains.reduce((sum, { start, end }) => sum + end - start, 0);
}
