import { folded } from "../outline/search.ts";
import type { Condition, Query } from "./query.ts";

/** What a query is compared with. */
export interface Candidate {
  /** With the label in it. */
  readonly text: string;
  readonly type: string;
  readonly role: string | null;
  readonly tools: string | null;
  readonly label: string | null;
}

/** Undefined if the entry doesn't fit; else how well it does, more being better. Patterns are somebody else's business. */
export type Scorer = (candidate: Candidate) => number | undefined;

/** Where an entry comes from (`in:`) is not asked here either: that is one answer for a whole session. */
export function scorerOf({ all, none }: Query): Scorer {
  const wanted = all.flatMap(testsOf);
  const unwanted = none.flatMap(testsOf);
  const weighed = all.flatMap((condition) => (condition.kind === "words" ? [finderOf(condition.words)] : []));
  return (candidate) => {
    const text = folded(candidate.text);
    if (!wanted.every((test) => test(candidate, text)) || unwanted.some((test) => test(candidate, text)))
      return undefined;
    const hits = weighed.map((finder) => weightOf(finder, text)).reduce((sum, weight) => sum + weight, 0);
    return Math.round(1000 * (1 + hits) * roleWeight(candidate)) / 1000;
  };
}

type Test = (candidate: Candidate, text: string) => boolean;

function testsOf(condition: Condition): readonly Test[] {
  switch (condition.kind) {
    case "words": {
      const find = finderOf(condition.words);
      return [(_, text) => find(text, 0) !== undefined];
    }
    case "role":
      return [({ role }) => role !== null && isRole(folded(role), condition.value)];
    case "tool":
      return [({ tools }) => tools !== null && folded(tools).includes(`\n${condition.value}\n`)];
    case "label":
      return [({ label }) => label !== null && folded(label).includes(condition.value)];
    case "in":
    case "pattern":
      return [];
  }
}

/** `role:tool` is what one types for results of tools. */
function isRole(role: string, asked: string): boolean {
  return role === asked || (asked === "tool" && role === "toolresult");
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** The first place at or behind `from` in folded text where these words follow each other. */
export type Finder = (text: string, from: number) => Place | undefined;

export function finderOf(words: readonly string[]): Finder {
  const [word = ""] = words;
  if (words.length === 1) {
    return (text, from) => {
      const start = text.indexOf(word, from);
      return start === -1 ? undefined : { start, end: start + word.length };
    };
  }
  const pattern = new RegExp(words.map(escaped).join("\\s+"), "g");
  return (text, from) => {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    return found ? { start: found.index, end: pattern.lastIndex } : undefined;
  };
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

const countedHits = 8;

/** Some hits are better than one, whole words than parts, and a short text is more about what it says than a long one. */
function weightOf(find: Finder, text: string): number {
  let weight = 0;
  let at = 0;
  for (let count = 0; count < countedHits; count++) {
    const place = find(text, at);
    if (!place) break;
    weight += isWhole(text, place) ? 2 : 1;
    at = Math.max(place.end, at + 1);
  }
  return Math.sqrt(weight) / Math.log10(100 + text.length);
}

function isWhole(text: string, { start, end }: Place): boolean {
  return !isLetter(text.charAt(start - 1)) && !isLetter(text.charAt(end));
}

/** V8 takes milliseconds to make an expression of what letters Unicode has. */
function isLetter(character: string): boolean {
  return character < "\u0080" ? /\w/.test(character) : /[\p{L}\p{N}_]/u.test(character);
}

/** What people said and named comes before what models said, and that before what tools printed. */
function roleWeight({ type, role, label }: Candidate): number {
  if (label !== null || type === "label" || type === "session_info") return 4;
  if (role === "user") return 3;
  if (role === "assistant" || type === "compaction" || type === "branch_summary") return 2;
  return 1;
}
