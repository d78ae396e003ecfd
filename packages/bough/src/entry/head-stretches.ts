import type { EntryHead, Position } from "./head.ts";
import { HeadList, type Heads } from "./heads.ts";

export interface NumberedHeads {
  readonly heads: Heads;
  /** The ordinal of the first. */
  readonly start: number;
}

/**
 * The heads of a log, which grow at both ends. Each has an ordinal that never changes: from 0 up those that came behind,
 * negative ones those that stand before, so that ordinals are in log order.
 */
export class HeadStretches {
  /** The nearest first, so that the last one added begins the log. */
  readonly #older: Heads[] = [];
  /** The ordinals that they begin with. */
  readonly #starts: number[] = [];
  readonly #newer = new HeadList();
  /** Which of the older ones was looked at last. */
  #near = 0;

  /** The lowest ordinal. */
  get first(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** Beyond the highest ordinal. */
  get end(): number {
    return this.#newer.length;
  }

  /** How many stretches were put before. */
  get older(): number {
    return this.#older.length;
  }

  /** All of them in log order, each with the ordinal it begins with. */
  *stretches(): Generator<NumberedHeads, void> {
    for (let stretch = this.#older.length - 1; stretch >= 0; stretch--) {
      yield { heads: this.#older[stretch] as Heads, start: this.startOf(stretch) };
    }
    yield { heads: this.#newer, start: 0 };
  }

  /** The so-many-th stretch put before. */
  olderAt(stretch: number): NumberedHeads {
    return { heads: this.#older[stretch] as Heads, start: this.startOf(stretch) };
  }

  add(head: EntryHead): number {
    this.#newer.push(head);
    return this.#newer.length - 1;
  }

  addBefore(heads: Heads): void {
    if (heads.length === 0) return;
    this.#starts.push(this.first - heads.length);
    this.#older.push(heads);
  }

  /** The ordinal that the so-many-th stretch put before begins with. */
  startOf(stretch: number): number {
    return this.#starts[stretch] as number;
  }

  /** Which stretch an ordinal is in, of those put before; -1 if of none. */
  stretchOf(ordinal: number): number {
    if (ordinal >= 0) return -1;
    const near = this.#near;
    if ((this.#starts[near] as number) <= ordinal && (near === 0 || ordinal < (this.#starts[near - 1] as number))) {
      return near;
    }
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= ordinal) high = middle;
      else low = middle + 1;
    }
    this.#near = low;
    return low;
  }

  at(ordinal: number): EntryHead {
    return this.#headsOf(ordinal).at(ordinal - this.#startFor(ordinal));
  }

  positionAt(ordinal: number): Position {
    return this.#headsOf(ordinal).positionAt(ordinal - this.#startFor(ordinal));
  }

  idAt(ordinal: number): string {
    return this.#headsOf(ordinal).idAt(ordinal - this.#startFor(ordinal));
  }

  isIdAt(ordinal: number, id: string): boolean {
    return this.#headsOf(ordinal).isIdAt(ordinal - this.#startFor(ordinal), id);
  }

  isChained(ordinal: number): boolean {
    return this.#headsOf(ordinal).isChained(ordinal - this.#startFor(ordinal));
  }

  hashAt(ordinal: number): number {
    return this.#headsOf(ordinal).hashAt(ordinal - this.#startFor(ordinal));
  }

  #headsOf(ordinal: number): Heads {
    return ordinal < 0 ? (this.#older[this.stretchOf(ordinal)] as Heads) : this.#newer;
  }

  /** To be asked after `#headsOf`. */
  #startFor(ordinal: number): number {
    return ordinal < 0 ? (this.#starts[this.#near] as number) : 0;
  }
}
