import { keepExactNumbers } from "./exact-numbers.ts";
import { isHeldNumber } from "./number-text.ts";

/**
 * What JSON says. Numbers in it that JavaScript can't hold are the nearest that it can, and are themselves again when the
 * value, or a copy with the objects that hold them or made by spreading these, is written by `jsonText` and its like.
 * Throws `SyntaxError`.
 */
export function jsonValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !mayNotHold(text)) return value;
  return valueWithNumbers(text);
}

const longest = 16;
/** A run of digits, written out since only so it is looked for in strides, or how an exponent of three digits begins. */
const suspects = new RegExp(`${"[.\\d]".repeat(longest)}[.\\d]*(?:[eE][+-]?\\d+)?|\\d[eE](?:[+-]\\d|\\d)\\d\\d`, "g");
// V8 decides by the text that it compiles an expression for whether to look in strides: one of few digits, in either width.
for (const text of ["a b ", "\u2028 b "]) text.repeat(500).match(suspects);
/** Where a value begins, and not within some word, such as an id in hex digits. */
const startOfNumber = /[:,[\s]-?\d[.\d]*$/;

/** No is certain: fifteen digits and an exponent of two are held by any number. */
function mayNotHold(text: string): boolean {
  suspects.lastIndex = 0;
  for (let match = suspects.exec(text); match !== null; match = suspects.exec(text)) {
    const { 0: found, index } = match;
    const isRun = found.length >= longest;
    if (isRun ? !isHeldNumber(found) : startOfNumber.test(text.slice(Math.max(0, index - longest), index + 1)))
      return true;
  }
  return false;
}

/** Reads the numbers in question as strings with a mark in front, which are found again in what comes out. */
function valueWithNumbers(text: string): unknown {
  const mark = unusedIn(text);
  const value: unknown = JSON.parse(withMarked(text, mark));
  const open = [value];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    const members = holder as Record<string, unknown>;
    const found = new Map<string, string>();
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === "object" && member !== null) open.push(member);
      if (typeof member !== "string" || !member.startsWith(mark)) continue;
      const number = member.slice(mark.length);
      members[name] = Number(number);
      found.set(name, number);
    }
    if (found.size > 0) keepExactNumbers(members, found);
  }
  return value;
}

function withMarked(text: string, mark: string): string {
  const parts: string[] = [];
  let written = 0;
  for (const { index, 0: number } of numbersIn(text)) {
    if (isHeldNumber(number)) continue;
    parts.push(text.slice(written, index), `"${mark}${number}"`);
    written = index + number.length;
  }
  return parts.join("") + text.slice(written);
}

/** Outside of strings. */
function* numbersIn(text: string): Generator<RegExpExecArray> {
  const token = /"|-?\d[\d.eE+-]*/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = endOfString(text, match.index + 1);
    else yield match;
  }
}

/** Behind the quote that ends the string which goes on at `from`. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return (at - start) % 2 === 1;
}

const firstPrivateUse = 0xe000;

/** A character that no string in `text` has, however it is spelt there. */
function unusedIn(text: string): string {
  for (let code = firstPrivateUse; ; code++) {
    const character = String.fromCharCode(code);
    if (!new RegExp(`${character}|\\\\u${code.toString(16)}`, "i").test(text)) return character;
  }
}
