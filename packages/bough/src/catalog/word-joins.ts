/*
 * What a phrase is looked up by: where one word meets the next, the last three characters of the one and the first three of
 * the other. Words of a phrase meet as they do in the text, whatever the white space between them, though its first word
 * may begin and its last may end in the middle of one. Each join is known by a number of twenty bits, so that texts of any
 * language come to no more than a million different ones; what has the same number by chance is told apart by a comparison.
 */
const edge = 3;
const bits = 20;
const blank = /\s+/;

/** The joins of a folded text, each once, as words for an index. */
export function wordJoins(text: string): string {
  return joinsOf(text.split(blank));
}

/** What every text has that holds these words behind each other. Empty where they are too short to tell. */
export function joinsOfPhrase(words: readonly string[]): string {
  const isWhole = (word: string) => word.length >= edge;
  const from = isWhole(words[0] ?? "") ? 0 : 1;
  const to = isWhole(words.at(-1) ?? "") ? words.length : -1;
  return joinsOf(words.slice(from, to));
}

function joinsOf(words: readonly string[]): string {
  const found = new Set<number>();
  for (let index = 1; index < words.length; index++) {
    found.add(joinOf(words[index - 1] as string, words[index] as string));
  }
  return Array.from(found, (number) => number.toString(36)).join(" ");
}

/** By the method of Fowler, Noll and Vo. */
function joinOf(left: string, right: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, left.length - edge); at < left.length; at++) hash = mixed(hash, left.charCodeAt(at));
  hash = mixed(hash, 0x20);
  for (let at = 0; at < edge && at < right.length; at++) hash = mixed(hash, right.charCodeAt(at));
  return (hash ^ (hash >>> bits)) & ((1 << bits) - 1);
}

function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}
