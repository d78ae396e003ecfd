import { type Chain, ChainAscent } from "./chain-ascent.ts";
import type { HeadStore } from "./head-store.ts";
import { pathTo } from "./path.ts";

/** How many entries the paths to entries have: what several have in common is counted once. Void once a head was added. */
export class PathLengths {
  readonly #store: HeadStore;
  /** By the first ordinals of chains, how many entries stand above. */
  readonly #above = new Map<number, number>();

  constructor(store: HeadStore) {
    this.#store = store;
  }

  /** 0 where there is no such entry. */
  of(id: string): number {
    const ascent = new ChainAscent(this.#store, id);
    const chains: Chain[] = [];
    let length = 0;
    for (let chain = ascent.next(); chain; chain = ascent.next()) {
      chains.push(chain);
      const above = this.#above.get(chain.start);
      if (above === undefined) continue;
      length = above;
      break;
    }
    if (ascent.isAhead) return pathTo(this.#store, id).heads.length;
    for (const { start, end } of chains.reverse()) {
      this.#above.set(start, length);
      length += end - start;
    }
    return length;
  }
}
