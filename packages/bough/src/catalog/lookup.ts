import type { Query } from "./query.ts";

/** What an index is asked: it may name too many entries, and misses none. */
export interface Lookup {
  readonly index: "found" | "phrases";
  readonly match: string;
}

/** Undefined where no index knows anything of what is asked for. */
export function lookupOf({ all }: Query): Lookup | undefined {
  const each = all.flatMap((condition) => (condition.kind === "words" ? [condition.words] : []));
  const phrases = each.map(phraseOf).filter((phrase) => phrase !== undefined);
  if (phrases.length > 0) return { index: "phrases", match: phrases.join(" AND ") };
  const trigrams = new Set(each.flat().flatMap(threesOf).map(quoted));
  return trigrams.size === 0 ? undefined : { index: "found", match: [...trigrams].join(" AND ") };
}

/** The first word may be the end of one, and is left to the comparison; the last may be the start of one. */
function phraseOf(words: readonly string[]): string | undefined {
  const rest = words.slice(1).join(" ");
  return words.length > 2 && certainLetter.test(rest) ? `${quoted(rest)} *` : undefined;
}

/** What the index has taken for a part of a word in every version of Unicode. */
const certainLetter = /[a-z0-9à-öø-ÿα-ωа-я぀-ゟ゠-ヿ一-鿿가-힣]/;

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Some of the threes of every word are enough, since what they find is compared with the text. */
const trigramsAWord = 12;

function threesOf(word: string): string[] {
  const points = Array.from(word.slice(0, 1000));
  const last = points.length - 3;
  if (last < 0) return [];
  const step = Math.max(1, Math.ceil(last / (trigramsAWord - 1)));
  const starts = new Set([last]);
  for (let start = 0; start < last; start += step) starts.add(start);
  return Array.from(starts, (start) => points.slice(start, start + 3).join(""));
}
