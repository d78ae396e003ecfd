import { plainText } from "bough/outline";
import { textWidth } from "./text-width.ts";

const lineBreaks = /[\t\n\u2028\u2029]/g;

/**
 * An id or a path in a line for people: every one that is printed goes through here, since a file can come from anywhere.
 * The same text, unless it holds what a terminal would obey.
 */
export function shownName(name: string): string {
  return plainText(name).replace(lineBreaks, " ");
}

const shortIdLength = 8;

/** Enough of an id for people, and one that `bough` takes: its end, where ids of one time differ. */
export function shortId(id: string): string {
  const shown = shownName(id);
  return shown.length <= shortIdLength
    ? shown
    : Array.from(shown.slice(-2 * shortIdLength))
        .slice(-shortIdLength)
        .join("");
}

/** The same filled up with blanks, so that columns stand below each other. */
export function idColumn(id: string): string {
  const shown = shortId(id);
  return shown + " ".repeat(Math.max(0, shortIdLength - textWidth(shown)));
}
