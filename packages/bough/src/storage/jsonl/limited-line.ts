import { Pieces, type UnfinishedLine } from "../../format/lines.ts";
import { ShortenedLine, type ShortenedSizes } from "./shortened-line.ts";

/** A line that is held whole up to `longest` bytes, and shortened as it comes in when it gets longer. */
export class LimitedLine implements UnfinishedLine {
  readonly #longest: number;
  readonly #sizes: ShortenedSizes;
  #line: Pieces | ShortenedLine = new Pieces();

  constructor(longest: number, sizes: ShortenedSizes) {
    this.#longest = longest;
    this.#sizes = sizes;
  }

  push(piece: Uint8Array): void {
    this.#line.push(piece);
    if (!(this.#line instanceof Pieces) || this.#line.length <= this.#longest) return;
    const shortened = new ShortenedLine(this.#sizes);
    shortened.push(this.#line.bytes());
    this.#line = shortened;
  }

  bytes(): Uint8Array {
    return this.#line.bytes();
  }
}
