import type { JsonObject } from "../entry/json.ts";

/*
 * Of a record that is no JSON any more, the head can often still be read: it stands at the front. The scan walks the
 * text once, notes the strings and nulls at the top level, and stops where the text stops making sense. It never goes
 * down into nested values, so it needs no stack, and what a body says can't be taken for the head.
 */

const blank = /[ \t\r\n]*/y;
const quoteOrEscape = /["\\]/g;
const scalar = /[^\s,\]}{["]+/y;

/** The top-level strings and nulls in front of the damage; of a key that occurs twice the first. */
export function scanHead(text: string): JsonObject {
  const found = new Map<string, string | null>();
  const cursor = new Cursor(text);
  if (!cursor.skip("{")) return {};
  do {
    const key = cursor.string();
    if (key === undefined || !cursor.skip(":")) break;
    const value = cursor.value();
    if (value === damaged) break;
    if (value !== nested && !found.has(key)) found.set(key, value);
  } while (cursor.skip(","));
  return Object.fromEntries(found);
}

const damaged = Symbol("damaged");
const nested = Symbol("a value that is no string");

class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  skip(character: string): boolean {
    this.#match(blank);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  string(): string | undefined {
    this.#match(blank);
    const from = this.#at;
    if (this.#text[from] !== '"' || !this.#passString()) return undefined;
    try {
      return JSON.parse(this.#text.slice(from, this.#at)) as string;
    } catch {
      return undefined;
    }
  }

  value(): string | null | typeof nested | typeof damaged {
    this.#match(blank);
    const first = this.#text[this.#at];
    if (first === '"') return this.string() ?? damaged;
    if (first === "{" || first === "[") return this.#pass() ? nested : damaged;
    const literal = this.#match(scalar);
    if (literal === undefined) return damaged;
    return literal === "null" ? null : nested;
  }

  /** Over an object or array, by its brackets outside strings. */
  #pass(): boolean {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      if (character === '"') {
        if (!this.#passString()) return false;
        continue;
      }
      this.#at++;
      if (character === "{" || character === "[") depth++;
      else if (character === "}" || character === "]") depth--;
      if (depth === 0) return true;
    }
    return false;
  }

  /** Step by step, since one pattern for a whole literal would need a stack as long as the text. */
  #passString(): boolean {
    let at = this.#at + 1;
    for (;;) {
      quoteOrEscape.lastIndex = at;
      const found = quoteOrEscape.exec(this.#text);
      if (found === null) return false;
      at = found.index + (found[0] === '"' ? 1 : 2);
      if (found[0] !== '"') continue;
      this.#at = at;
      return true;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.#at += match.length;
    return match;
  }
}
