/** Numbers that only the seed decides (mulberry32), so that a failure can be had again. */
export class Random {
  #state;
  constructor(seed) {
    this.#state = seed >>> 0;
  }
  /** From 0, inclusive, to `limit`, exclusive. */
  below(limit) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit;
  }
  integer(limit) {
    return Math.floor(this.below(limit));
  }
  chance(probability) {
    return this.below(1) < probability;
  }
  pick(items) {
    if (items.length === 0) throw new RangeError("nothing to pick from");
    return items[this.integer(items.length)];
  }
  /** A key, as often as its weight says. */
  weighted(weights) {
    const entries = Object.entries(weights);
    let rest = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [key, weight] of entries) {
      if (rest < weight) return key;
      rest -= weight;
    }
    return entries.at(-1)[0];
  }
}
