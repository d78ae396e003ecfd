import { folded } from "../outline/search.ts";

/** What is asked for, each of it once: an entry fits if all of `all` hold and none of `none`. */
export interface Query {
  readonly all: readonly Condition[];
  readonly none: readonly Condition[];
}

export type Condition =
  /** Words that follow each other, with any white space between them. Folded. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "pattern"; readonly source: string }
  | { readonly kind: "role" | "tool" | "label" | "in"; readonly value: string };

const token = /(-?)(?:(role|tool|label|in|re):(?:"([^"]*)"(?=\s|$)|(\S*))|"([^"]*)"(?=\s|$)|(\S+))/y;
const blank = /\s*/y;

/**
 * Reads words (all of them), `"phrases"`, `re:PATTERN`, `role:`, `tool:`, `label:` (alone: any label), `in:PATH`, each
 * with `-` in front for the opposite. What is none of these is a word, as is what follows a quote that nothing closes.
 */
export function parseQuery(text: string): Query {
  const all: Condition[] = [];
  const none: Condition[] = [];
  for (let at = 0; ; ) {
    blank.lastIndex = at;
    blank.exec(text);
    token.lastIndex = blank.lastIndex;
    const found = token.exec(text);
    if (!found) return { all, none };
    at = token.lastIndex;
    const [, sign, field, quotedValue, value, phrase, word] = found;
    const condition = field
      ? fieldCondition(field as Field, quotedValue ?? value ?? "")
      : wordsCondition(phrase ?? word ?? "");
    if (condition) (sign === "-" ? none : all).push(condition);
  }
}

type Field = "role" | "tool" | "label" | "in" | "re";

function fieldCondition(field: Field, value: string): Condition | undefined {
  if (field === "re") return value === "" ? undefined : { kind: "pattern", source: value };
  if (value === "" && field !== "label") return undefined;
  return { kind: field, value: field === "in" ? value : folded(value) };
}

function wordsCondition(text: string): Condition | undefined {
  const words = folded(text)
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0 ? undefined : { kind: "words", words };
}
