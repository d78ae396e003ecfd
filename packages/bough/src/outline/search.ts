import type { SessionTreeEntry } from "../entry/entry.ts";
import { storedText } from "../entry/stored-text.ts";
import { blocksOf, contentText, messageText, toolCallsOf } from "./message-text.ts";

/** Whether a text holds every whitespace-separated token of the query, in any case and any composition of accents. */
export type Matcher = (text: string) => boolean;

export function matcherOf(query: string): Matcher {
  const tokens = folded(query)
    .split(/\s+/)
    .filter((token) => token !== "");
  return (text) => {
    if (tokens.length === 0) return true;
    const haystack = folded(text);
    return tokens.every((token) => haystack.includes(token));
  };
}

/** All of an entry that search looks at: type, role, label, and its text in full, tool arguments and summaries included. */
export function searchableText(entry: SessionTreeEntry, label?: string): string {
  return [entry.type, label ?? "", ...partsOf(entry)].filter((part) => part !== "").join("\n");
}

function partsOf(entry: SessionTreeEntry): readonly string[] {
  switch (entry.type) {
    case "message":
      return messageParts(entry.message as unknown as Fields, entry);
    case "custom_message":
      return [entry.customType, contentText(entry.content)];
    case "damaged":
      return [storedText(entry.originalType)];
    default:
      return values(ownFields(entry as unknown as Fields));
  }
}

type Fields = Readonly<Record<string, unknown>>;

function messageParts(fields: Fields, { message }: Extract<SessionTreeEntry, { type: "message" }>): string[] {
  const named = [fields.role, fields.toolName, fields.customType, fields.errorMessage, fields.output];
  const thinking = blocksOf(fields.content).map((block) => block.thinking);
  const calls = toolCallsOf(message).flatMap((call) => [call.name, ...values(call.arguments)]);
  return [...named, messageText(message), ...thinking, ...calls].filter((part) => typeof part === "string");
}

/** Fields every entry has, references to other entries, and accounts that nobody looks for by word. */
const passedOver: ReadonlySet<string> = new Set(
  "type id parentId timestamp targetId fromId firstKeptEntryId retainedTail usage state preserveData native".split(" "),
);

function ownFields(entry: Fields): Fields {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !passedOver.has(name)));
}

/** The strings and numbers in a JSON value, however deep it goes. */
function values(value: unknown): string[] {
  const found: string[] = [];
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") found.push(next);
    else if (typeof next === "number") found.push(String(next));
    else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next).reverse()) pending.push(inner);
    }
  }
  return found;
}

/** What search compares: composed accents, lower case. */
export function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
