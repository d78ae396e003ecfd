import type { EntryHead, Position } from "../entry/head.ts";
import { type Chain, ChainAscent } from "./chain-ascent.ts";
import type { HeadStore } from "./head-store.ts";
import type { Leaf } from "./leaf.ts";
import { pathTo } from "./path.ts";
import { PathLengths } from "./path-lengths.ts";

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
    const ascent = new ChainAscent(this.#store, leaf);
    const chains: Chain[] = [];
    for (let chain = ascent.next(); chain; chain = ascent.next()) chains.push(chain);
    return ascent.isAhead ? this.#oneByOne(leaf) : chains.reverse();
  }

  /** Of the paths as they are now. */
  lengths(): PathLengths {
    return new PathLengths(this.#store);
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
}

export function countOf(chains: readonly Chain[]): number {
  return chains.reduce((sum, { start, end }) => sum + end - start, 0);
}
