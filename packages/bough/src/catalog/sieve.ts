import type { Line } from "../format/lines.ts";
import { type Haystack, type Letters, lettersOf, longestGap, mostPlaces } from "./haystack.ts";
import type { Query } from "./query.ts";
import { mayFollowWord } from "./said-before.ts";
import {
  beforeBlanks,
  beforeLetter,
  behindBlanks,
  behindLetter,
  blank,
  isBound,
  isCertain,
  lower,
  mayBeginOther,
  mayEndOther,
  newline,
} from "./said-bytes.ts";

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
  readonly #needleLength: number;
  readonly #letters: Letters;

  /** `needle` is a part of `text`; both in lower case. */
  constructor(text: string, needle: string) {
    this.#text = text;
    this.#from = text.indexOf(needle);
    this.#to = this.#from + needle.length;
    this.#needleLength = needle.length;
    this.#letters = lettersOf(needle);
  }

  /** The lines that pass among those from `from` to before `length`, in a haystack that begins at `offset` in its file. */
  *linesIn(haystack: Haystack, from: number, length: number, offset: number): Generator<Line> {
    const bytes = haystack.bytes.subarray(0, length);
    const end = length - this.#needleLength + 1;
    let next = from;
    while (next < end) {
      const places = haystack.places(next, end, this.#letters);
      for (let index = 0; index < places.length; index++) {
        const at = places[index] as number;
        if (at < next || at >= end || !this.#mayStand(haystack, bytes, at)) continue;
        const line = lineAround(bytes, at, offset);
        yield line;
        next = line.end - offset;
      }
      if (places.length < mostPlaces) return;
      next = Math.max(next, (places.at(-1) as number) + 1);
    }
  }

  /** Whether the needle is here, with nothing around it that rules the text out. Where its letters stand it mostly is. */
  #mayStand(haystack: Haystack, bytes: Buffer, at: number): boolean {
    return (
      this.#mayBegin(haystack, bytes, at) && this.#isNeedle(bytes, at) && this.#mayGoOn(bytes, at + this.#needleLength)
    );
  }

  #isNeedle(bytes: Buffer, start: number): boolean {
    for (let at = this.#from; at < this.#to; at++) {
      if (lower[bytes[start + at - this.#from] as number] !== this.#text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** What stands in front of the needle. */
  #mayBegin(haystack: Haystack, bytes: Buffer, start: number): boolean {
    let place = start - 1;
    for (let at = this.#from - 1; at >= 0; at--) {
      const wanted = this.#text.charCodeAt(at);
      if (!isCertain(wanted)) return true;
      const next = wanted === blank ? beforeBlanks(bytes, place) : beforeLetter(bytes, place, wanted);
      if (next === place) {
        return isBound(bytes, place) ? this.#mayFollow(haystack, bytes, place, at) : mayEndOther(bytes, place);
      }
      place = next;
    }
    return true;
  }

  /** Whether the text up to `at` may be said in front of the string that begins at `place`: no word goes across its start. */
  #mayFollow(haystack: Haystack, bytes: Buffer, place: number, at: number): boolean {
    const before = this.#text.slice(0, at + 1);
    if (!before.endsWith(" ") && this.#text.charCodeAt(at + 1) !== blank) return false;
    const word = before.trimEnd().split(" ").at(-1) ?? "";
    return !isCertainWord.test(word) || invented.endsWith(word) || mayFollowWord(haystack, bytes, place, word);
  }

  /** What stands behind it. */
  #mayGoOn(bytes: Buffer, end: number): boolean {
    let place = end;
    for (let at = this.#to; at < this.#text.length; at++) {
      const wanted = this.#text.charCodeAt(at);
      if (!isCertain(wanted)) return true;
      const next = wanted === blank ? behindBlanks(bytes, place) : behindLetter(bytes, place, wanted);
      if (next === place) return mayBeginOther(bytes, place);
      place = next;
    }
    return true;
  }
}

function lineAround(bytes: Buffer, at: number, offset: number): Line {
  const start = bytes.lastIndexOf(newline, at) + 1;
  const newlineAt = bytes.indexOf(newline, at);
  const terminated = newlineAt !== -1;
  const end = terminated ? newlineAt : bytes.length;
  return {
    bytes: bytes.subarray(start, end),
    start: offset + start,
    end: offset + end + (terminated ? 1 : 0),
    terminated,
  };
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
/** The sign for kelvin may be written in any way. */
const isCertainWord = /^[a-jl-z]+$/;
/** What searchable text says of an entry that can't be read, whatever its line says. */
const invented = "damaged";
