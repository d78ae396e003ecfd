import type { Line } from "../format/lines.ts";
import { type Haystack, type LetterPair, longestGap } from "./haystack.ts";
import type { Query } from "./query.ts";

/*
 * Which lines of a session file may fit a query, told from their bytes at a speed near that of reading them. A line has to
 * hold the letters of one of the words, in either case: letters stand in a file as they are said, as no writer of JSON
 * escapes them. Around them the rest of the phrase is compared as far as what stands there is certain: an escape, a quote,
 * a character beyond ASCII may stand for anything, and then the line passes. So lines pass that don't fit, and none that
 * fits is lost; but what an entry's label says stands in another line than the entry.
 */
export class Sieve {
  readonly #text: string;
  /** Where the needle stands in the text. */
  readonly #from: number;
  readonly #to: number;
  readonly #edges: LetterPair;

  /** `needle` is a part of `text`; both in lower case. */
  constructor(text: string, needle: string) {
    this.#text = text;
    this.#from = text.indexOf(needle);
    this.#to = this.#from + needle.length;
    const gap = needle.length - 1;
    this.#edges = { first: needle.charCodeAt(0), last: needle.charCodeAt(gap), gap };
  }

  /** The lines that pass among those from `from` to before `length`, in a haystack that begins at `offset` in its file. */
  *linesIn(haystack: Haystack, from: number, length: number, offset: number): Generator<Line> {
    const bytes = haystack.bytes.subarray(0, length);
    for (let at = this.#next(haystack, bytes, from); at !== -1; ) {
      const start = bytes.lastIndexOf(newline, at) + 1;
      const newlineAt = bytes.indexOf(newline, at);
      const terminated = newlineAt !== -1;
      const end = terminated ? newlineAt : length;
      const line = { bytes: bytes.subarray(start, end), start: offset + start, terminated };
      yield { ...line, end: offset + end + (terminated ? 1 : 0) };
      at = this.#next(haystack, bytes, end);
    }
  }

  /** Where the needle is next, at or behind `from`, with nothing around it that rules the text out; -1 if nowhere. */
  #next(haystack: Haystack, bytes: Buffer, from: number): number {
    const end = bytes.length - this.#edges.gap;
    for (let at = from; ; at++) {
      at = haystack.find(at, end, this.#edges);
      if (at === -1 || at >= end) return -1;
      if (this.#isNeedle(bytes, at) && this.#mayBegin(bytes, at) && this.#mayGoOn(bytes, at + this.#edges.gap + 1))
        return at;
    }
  }

  #isNeedle(bytes: Buffer, start: number): boolean {
    for (let at = this.#from; at < this.#to; at++) {
      if (lower[bytes[start + at - this.#from] as number] !== this.#text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** What stands in front of the needle. */
  #mayBegin(bytes: Buffer, start: number): boolean {
    for (let at = this.#from - 1, place = start - 1; at >= 0; at--, place--) {
      const wanted = this.#text.charCodeAt(at);
      const byte = bytes[place] ?? newline;
      if (!isCertain(wanted) || (byte === blank && this.#text.charCodeAt(at + 1) === blank)) return true;
      if (lower[byte] === wanted) continue;
      if (wanted !== blank || !isBlankEscape(bytes, place - 1)) return mayBeOther(bytes, place);
      place--;
    }
    return true;
  }

  /** What stands behind it. */
  #mayGoOn(bytes: Buffer, end: number): boolean {
    for (let at = this.#to, place = end; at < this.#text.length; at++, place++) {
      const wanted = this.#text.charCodeAt(at);
      const byte = bytes[place] ?? newline;
      if (!isCertain(wanted) || (byte === blank && this.#text.charCodeAt(at - 1) === blank)) return true;
      if (lower[byte] === wanted) continue;
      if (wanted !== blank || !isBlankEscape(bytes, place)) return !isPlain(byte) && !isQuote(bytes, place + 1);
      place++;
    }
    return true;
  }
}

/** Undefined where no word has letters enough; then every line has to be read. */
export function sieveOf({ all }: Query): Sieve | undefined {
  const candidates = all.flatMap((condition) => {
    if (condition.kind !== "words") return [];
    const text = condition.words.join(" ");
    return (text.match(letters) ?? []).map((run) => ({ text, needle: run.slice(0, longestGap).replace(/i+$/, "") }));
  });
  const usable = candidates.filter(({ needle }) => needle.length >= shortest && !invented.includes(needle));
  const [best] = usable.toSorted((a, b) => b.needle.length - a.needle.length || b.text.length - a.text.length);
  return best && new Sieve(best.text, best.needle);
}

const shortest = 3;
/** Without `k`, which the sign for kelvin is in lower case; `i` with a dot is what İ begins with there. */
const letters = /[a-jl-z]+/g;
/** What searchable text says of an entry that can't be read, whatever its line says. */
const invented = "damaged";

const newline = 0x0a;
const blank = 0x20;
const backslash = 0x5c;

const lower = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

function isCertain(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || code === blank;
}

/** Stands for itself in the middle of a string, and can be no end of one; a slash may part what is said apart too. */
function isPlain(byte: number): boolean {
  return byte >= blank && byte < 0x7f && byte !== 0x22 && byte !== backslash && byte !== 0x2f;
}

/** Whether a line break or a tab begins at `place`, and not the end of an escaped backslash. */
function isBlankEscape(bytes: Buffer, place: number): boolean {
  if (bytes[place] !== backslash || bytes[place - 1] === backslash) return false;
  const letter = bytes[place + 1];
  return letter === 0x6e || letter === 0x74 || letter === 0x72;
}

/** Whether what ends at `place` may be another character than the byte there. */
function mayBeOther(bytes: Buffer, place: number): boolean {
  if (isQuote(bytes, place)) return false;
  if (!isPlain(bytes[place] ?? newline) || bytes[place - 1] === backslash) return true;
  return bytes[place - 5] === backslash && bytes[place - 4] === 0x75;
}

/** Whether a quote is said here, and ends nothing. */
function isQuote(bytes: Buffer, place: number): boolean {
  return bytes[place] === 0x22 && bytes[place - 1] === backslash && bytes[place - 2] !== backslash;
}
