import type { Query } from "./query.ts";
import { joinsOfPhrase } from "./word-joins.ts";

/** What an index is asked: it may name too many entries, and misses none. */
export interface Lookup {
  readonly index: "found" | "phrases";
  readonly match: string;
}

/** Undefined where no index knows anything of what is asked for. */
export function lookupOf({ all }: Query): Lookup | undefined {
  const each = all.flatMap((condition) => (condition.kind === "words" ? [condition.words] : []));
  const joins = each.map(joinsOfPhrase).filter((found) => found !== "");
  if (joins.length > 0) return { index: "phrases", match: joins.join(" ") };
  const trigrams = new Set(each.flat().flatMap(threesOf).map(quoted));
  return trigrams.size === 0 ? undefined : { index: "found", match: [...trigrams].join(" AND ") };
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Halves of characters are in no index. Some of the threes of every word are enough, since what they find is compared with the text. */
const trigramsAWord = 12;

function threesOf(word: string): string[] {
  const points = Array.from(word.slice(0, 1000));
  const last = points.length - 3;
  if (last < 0) return [];
  const step = Math.max(1, Math.ceil(last / (trigramsAWord - 1)));
  const starts = new Set([last]);
  for (let start = 0; start < last; start += step) starts.add(start);
  return Array.from(starts, (start) => points.slice(start, start + 3).join("")).filter((three) => three.isWellFormed());
}
