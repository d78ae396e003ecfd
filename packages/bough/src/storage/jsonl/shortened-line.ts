import { isUtf8 } from "node:buffer";

/** As many bytes of a string are left as say what it is. */
const usualRoom = 4096;

const quote = 0x22;
const backslash = 0x5c;
/** Bytes of strings that stand for themselves. */
const plain = /[ !#-[\]-\xff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const longestEscaped = 6;
const invalidUtf8 = Uint8Array.of(0xff);
const invalidJson = Uint8Array.of(0x01);

/**
 * A line of JSON with what its long strings say left out behind their beginnings, made from the line's pieces in file
 * order, of which none is held. What is wrong with a line stays wrong: it is no JSON, or no UTF-8, exactly if the whole
 * line isn't.
 */
export function shortenedLine(pieces: Iterable<Uint8Array>, room = usualRoom): Uint8Array {
  const line = new ShortenedLine(room);
  for (const piece of pieces) line.push(piece);
  return line.end();
}

class ShortenedLine {
  readonly #usualRoom: number;
  readonly #kept: Uint8Array[] = [];
  /** What the string under way may still take; undefined outside of strings. */
  #room: number | undefined;
  /** The end of a piece, which says something together with the next one. */
  #rest: Uint8Array = new Uint8Array();

  constructor(room: number) {
    this.#usualRoom = room;
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    const text = bytes.toString("latin1");
    let at = 0;
    for (let next = this.#pass(bytes, text, at); next > at; next = this.#pass(bytes, text, at)) at = next;
    this.#rest = bytes.subarray(at);
  }

  end(): Uint8Array {
    this.#kept.push(this.#rest);
    return Buffer.concat(this.#kept);
  }

  /** Where to go on; `at` where more has to be seen. */
  #pass(bytes: Buffer, text: string, at: number): number {
    if (at === bytes.length) return at;
    if (this.#room === undefined) return this.#passStructure(bytes, at);
    const end = this.#room > 0 ? nextOf(plain, text, at) : textEnd(text, at);
    const whole = end < bytes.length ? end : characterStart(bytes, at, end);
    this.#take(bytes, at, at + this.#room < whole ? characterStart(bytes, at, at + this.#room) : whole, whole);
    return end < bytes.length ? this.#passSpecial(bytes, text, end) : whole;
  }

  #passStructure(bytes: Buffer, at: number): number {
    const opening = bytes.indexOf(quote, at);
    const end = opening === -1 ? bytes.length : opening + 1;
    this.#keep(bytes.subarray(at, end));
    if (opening !== -1) this.#room = this.#usualRoom;
    return end;
  }

  #passSpecial(bytes: Buffer, text: string, at: number): number {
    if (bytes[at] === quote) {
      this.#keep(bytes.subarray(at, at + 1));
      this.#room = undefined;
      return at + 1;
    }
    const end = nextOf(escaped, text, at);
    if (end > at) {
      this.#take(bytes, at, end - at <= (this.#room as number) ? end : at, end);
      return end;
    }
    if (bytes[at] === backslash && bytes.length - at < longestEscaped) return at;
    this.#keep(invalidJson);
    return at + 1;
  }

  /** Keeps what of a string stands before `cut`, and of the rest only that it is no UTF-8. */
  #take(bytes: Buffer, from: number, cut: number, to: number): void {
    if (cut > from) this.#keep(bytes.subarray(from, cut));
    this.#room = cut === to ? (this.#room as number) - (to - from) : 0;
    if (cut < to && !isUtf8(bytes.subarray(cut, to))) this.#keep(invalidUtf8);
  }

  #keep(bytes: Uint8Array): void {
    // A copy by the typed array, since that of a buffer would be a view of it.
    this.#kept.push(Uint8Array.prototype.slice.call(bytes));
  }
}

/** Where a match that begins at `at` ends; `at` if there is none. */
function nextOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where what stands for itself or is escaped as it should be ends. */
function textEnd(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = nextOf(escaped, text, nextOf(plain, text, at));
    if (end === at) return at;
    at = end;
  }
}

/** The last place at or before `at` where no character of UTF-8 is under way; `at` itself if none begins shortly before. */
function characterStart(bytes: Uint8Array, from: number, at: number): number {
  for (let start = at - 1; start >= Math.max(from, at - 3); start--) {
    const byte = bytes[start] as number;
    if (byte < 0x80) return at;
    if (byte >= 0xc0) return start + lengthFrom(byte) > at ? start : at;
  }
  return at;
}

/** Of the character whose first byte this is. */
function lengthFrom(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}
