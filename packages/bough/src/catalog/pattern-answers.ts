import type { Place } from "./matching.ts";

/** The texts from one of them on. */
export interface PatternTask {
  readonly texts: readonly string[];
  readonly from: number;
  /** For the answers. */
  readonly memory: SharedArrayBuffer;
}

/**
 * Where patterns fit in texts, in memory that one thread writes while another may read it: whoever waits no longer for
 * the one has what was found by then.
 */
export class PatternAnswers {
  readonly memory: SharedArrayBuffer;
  /** The text that is being tried, from 1 on; then of each two numbers: where the place begins, or why there is none, and its end. */
  readonly #numbers: Int32Array;

  /** Those of so many texts, or those that another thread writes. */
  constructor(texts: number | SharedArrayBuffer) {
    this.memory = typeof texts === "number" ? new SharedArrayBuffer(4 * (1 + 2 * texts)) : texts;
    this.#numbers = new Int32Array(this.memory);
  }

  begin(text: number): void {
    Atomics.store(this.#numbers, 0, text + 1);
  }

  /** Undefined before the first was begun. */
  get current(): number | undefined {
    const begun = Atomics.load(this.#numbers, 0);
    return begun === 0 ? undefined : begun - 1;
  }

  put(text: number, place: Place | undefined): void {
    const at = 1 + 2 * text;
    if (place) this.#numbers[at + 1] = place.end;
    Atomics.store(this.#numbers, at, place ? place.start + firstPlace : unfit);
  }

  /** Undefined where nothing was put. */
  at(text: number): Place | "unfit" | undefined {
    const at = 1 + 2 * text;
    const start = Atomics.load(this.#numbers, at);
    if (start === unfit) return "unfit";
    return start < firstPlace ? undefined : { start: start - firstPlace, end: this.#numbers[at + 1] as number };
  }
}

const unfit = 1;
const firstPlace = 2;
