import { plainLine } from "bough/outline";
import type { Output } from "./output.ts";
import { cutToWidth } from "./text-width.ts";

const interval = 100;

/** One line on a terminal that says how far long work is; silent anywhere else and for the first moment. */
export class Progress {
  readonly #output: Output;
  #nextAt: number;
  #shown = false;

  constructor(output: Output) {
    this.#output = output;
    this.#nextAt = Date.now() + 3 * interval;
  }

  report(text: string): void {
    const now = Date.now();
    if (!this.#output.isTerminal || now < this.#nextAt) return;
    this.#nextAt = now + interval;
    this.#shown = true;
    void this.#output.write(`\r\u001b[K${cutToWidth(plainLine(text), this.#output.width - 1)}`);
  }

  done(): void {
    if (this.#shown) void this.#output.write("\r\u001b[K");
    this.#shown = false;
  }
}
