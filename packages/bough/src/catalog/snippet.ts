import { plainText } from "../outline/plain-text.ts";
import { folded } from "../outline/search.ts";
import type { Finder, Place } from "./matching.ts";

export interface Snippet {
  /** One line, safe to show. */
  readonly text: string;
  /** What was asked for, as ranges of `text`, in order, none overlapping. */
  readonly marks: readonly Place[];
}

const before = 60;
const longest = 180;

/**
 * The stretch of a text around the first place that was asked for, without its `lead` unless that is the place. `at` is
 * where a pattern found it, in the text as `showable` gives it.
 */
export function snippetOf(
  { text, lead = "" }: { readonly text: string; readonly lead?: string },
  finders: readonly Finder[],
  at?: Place,
): Snippet {
  const shown = showable(text);
  const first = at ?? firstPlace(folded(shown), showable(lead).length, finders);
  const earliest = first.start < showable(lead).length ? 0 : showable(lead).length;
  const start = Math.max(earliest, wordStart(shown, Math.max(0, first.start - before)));
  const end = characterEnd(shown, Math.max(start + longest, Math.min(first.end, start + 2 * longest)));
  const window = { start: start === earliest ? 0 : start, end, length: shown.length };
  if (!at) return marked(shown.slice(start, end), window, finders);
  const pieces = [shown.slice(start, at.start), shown.slice(at.start, Math.min(at.end, end)), shown.slice(at.end, end)];
  return joined(pieces, window);
}

/** Behind the lead if there is any. */
function firstPlace(text: string, lead: number, finders: readonly Finder[]): Place {
  const places = finders.map((find) => find(text, lead) ?? find(text, 0)).filter((place) => place !== undefined);
  const own = places.filter(({ start }) => start >= lead);
  return (own.length > 0 ? own : places).toSorted((a, b) => a.start - b.start)[0] ?? { start: lead, end: lead };
}

/** The text, composed; where lower case is longer or shorter, in lower case, so that places in one are places in the other. */
export function showable(text: string): string {
  const composed = text.normalize("NFC");
  const lower = composed.toLowerCase();
  return lower.length === composed.length ? composed : lower;
}

interface Window extends Place {
  readonly length: number;
}

function marked(stretch: string, window: Window, finders: readonly Finder[]): Snippet {
  const text = framed(line(stretch).trim(), window);
  const lower = folded(text);
  if (lower.length !== text.length) return { text, marks: [] };
  return { text, marks: merged(finders.flatMap((find) => allPlaces(lower, find))) };
}

function joined([head = "", hit = "", rest = ""]: readonly string[], window: Window): Snippet {
  const start = `${window.start > 0 ? "…" : ""}${line(head).trimStart()}`;
  const middle = line(hit);
  const text = `${start}${middle}${line(rest).trimEnd()}${window.end < window.length ? "…" : ""}`;
  return { text, marks: middle === "" ? [] : [{ start: start.length, end: start.length + middle.length }] };
}

function framed(text: string, { start, end, length }: Window): string {
  return `${start > 0 ? "…" : ""}${text}${end < length ? "…" : ""}`;
}

function line(text: string): string {
  return plainText(text).replace(/\s+/g, " ");
}

function allPlaces(text: string, find: Finder): Place[] {
  const places: Place[] = [];
  for (let place = find(text, 0); place && place.end > place.start; place = find(text, place.end)) places.push(place);
  return places;
}

function merged(places: readonly Place[]): Place[] {
  const result: Place[] = [];
  for (const place of places.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last && place.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, place.end) };
    else result.push(place);
  }
  return result;
}

function characterEnd(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at;
}

/** Not in the middle of a word or of a character, unless the word is long. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const blank = text.slice(at, at + 20).search(/\s/);
  if (blank !== -1) return at + blank + 1;
  return characterEnd(text, at);
}
