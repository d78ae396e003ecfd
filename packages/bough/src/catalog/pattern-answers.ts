import type { Place } from "./matching.ts";

/**
 * Where patterns fit in texts, in memory that one thread writes while another may read it: whoever waits no longer for
 * the one has what was found by then.
 */
export class PatternAnswers {
  readonly memory: SharedArrayBuffer;
  /** Of each text two numbers: where the place begins, or why there is none, and where it ends. */
  readonly #numbers: Int32Array;

  /** Those of so many texts, or those that another thread writes. */
  constructor(texts: number | SharedArrayBuffer) {
    this.memory = typeof texts === "number" ? new SharedArrayBuffer(8 * texts) : texts;
    this.#numbers = new Int32Array(this.memory);
  }

  put(text: number, place: Place | undefined): void {
    if (place) this.#numbers[2 * text + 1] = place.end;
    Atomics.store(this.#numbers, 2 * text, place ? place.start + firstPlace : unfit);
  }

  /** Undefined where nothing was put. */
  at(text: number): Place | "unfit" | undefined {
    const start = Atomics.load(this.#numbers, 2 * text);
    if (start === unfit) return "unfit";
    return start < firstPlace ? undefined : { start: start - firstPlace, end: this.#numbers[2 * text + 1] as number };
  }
}

const unfit = 1;
const firstPlace = 2;
