import { lineBreak } from "./own-line.ts";

/** In bytes: of most entries enough to hold their times, of short ones their ids. */
const most = 4096;

/**
 * How a file ended when its end was last taken in. Whoever finds other bytes there knows that the file was not only added
 * to, though it is no shorter.
 */
export class SeenEnd {
  #bytes: Uint8Array = new Uint8Array();
  /** The last line, if it was written and not read. */
  #json: string | undefined;

  /** What follows what was seen before. */
  see(bytes: Uint8Array): void {
    const before = bytes.length < most ? this.bytes.subarray(bytes.length - most) : none;
    this.#bytes = Buffer.concat([before, bytes.subarray(-most)]);
    this.#json = undefined;
  }

  /** The same of a line that is known to stand there. */
  seeLine(json: string): void {
    this.#json = json;
  }

  get bytes(): Uint8Array {
    if (this.#json === undefined) return this.#bytes;
    return Buffer.concat([Buffer.from(this.#json.slice(-most)), lineBreak]).subarray(-most);
  }
}

const none = new Uint8Array();
