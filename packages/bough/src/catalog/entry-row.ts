import type { SessionTreeEntry } from "../entry/entry.ts";
import { type EntryHead, headOf } from "../entry/head.ts";
import { blocksOf } from "../outline/message-text.ts";
import { searchableText } from "../outline/search.ts";
import type { Place } from "../tree/positions.ts";
import { parsedColumn } from "./json-column.ts";

/** An entry as the catalog keeps it: its head, and the text that search looks at, without the label. */
export interface EntryRow {
  readonly key: number;
  readonly session: number;
  readonly id: string;
  readonly parent: string | null;
  readonly type: string;
  readonly time: string;
  readonly role: string | null;
  /** Names of tools called or answering, a newline around each. */
  readonly tools: string | null;
  readonly label: string | null;
  /** The rest of the head as JSON. */
  readonly rest: string | null;
  readonly text: string | null;
}

export type EntryColumns = Omit<EntryRow, "key" | "session" | "label">;

export function columnsOf(entry: SessionTreeEntry, head: EntryHead): EntryColumns {
  const { customType, targetId, text, usage } = head;
  const rest = JSON.stringify({ customType, targetId, text, usage });
  return {
    id: entry.id,
    parent: entry.parentId,
    type: entry.type,
    time: entry.timestamp,
    role: head.role ?? null,
    tools: toolsOf(entry),
    rest: rest === "{}" ? null : rest,
    text: storable(searchableText(entry)),
  };
}

type RestOfHead = Pick<EntryHead, "customType" | "targetId" | "text" | "usage">;

export function headOfRow(row: Omit<EntryRow, "text" | "session" | "tools" | "label">): EntryHead {
  const { key: position, type, time: timestamp, role } = row;
  const { id, parentId } = idsOf(row);
  const rest = parsedColumn<RestOfHead>(row.rest ?? "{}");
  return { position, id, parentId, type, timestamp, ...(role !== null && { role }), ...rest };
}

export { headOf };

/** Of which entries the rest of a head tells where a conversation stands. */
export const dependsOnRest = "type IN ('custom', 'leaf')";

/** The columns of a `PlaceRow`. */
export const placeColumns = `id, parent, type, iif(${dependsOnRest}, rest, NULL) AS rest`;

export type PlaceRow = Pick<EntryRow, "id" | "parent" | "type" | "rest">;

export function placeOf({ type, rest, ...row }: PlaceRow): Place {
  const { id, parentId } = idsOf(row);
  return rest === null ? { id, parentId, type } : { ...parsedColumn<RestOfHead>(rest), id, parentId, type };
}

function idsOf({ id, parent }: Pick<EntryRow, "id" | "parent">) {
  return { id: idOf(id), parentId: parent === null ? null : idOf(parent) };
}

/** An id as the catalog keeps it. Each stays itself: what would be no text in SQLite is kept as JSON. */
export function storedId(id: string): string {
  return storable(id) === id && !id.startsWith(asJson) ? id : asJson + JSON.stringify([id]);
}

/** The id that is kept so. */
export function idOf(stored: string): string {
  return stored.startsWith(asJson) ? (parsedColumn<[string]>(stored.slice(asJson.length))[0] as string) : stored;
}

const asJson = "\u0001";

/** The text as `searchableText` gives it for the entry with this label: the label stands behind the type. */
export function labelledText({ type, label, text }: Pick<EntryRow, "type" | "label" | "text">): string {
  const stored = text ?? "";
  const start = storable(type).length;
  return label ? `${stored.slice(0, start)}\n${label}${stored.slice(start)}` : stored;
}

/** What stands in front of an entry's own words: type, label and role, a line each. */
export function leadOf({ type, label, role }: Pick<EntryRow, "type" | "label" | "role">, text: string): string {
  const lead = [type, label, role]
    .filter(Boolean)
    .map((part) => `${part}\n`)
    .join("");
  return text.startsWith(lead) ? lead : "";
}

/** SQLite's text is UTF-8 and ends, for some of its functions, at a NUL. */
export function storable(text: string): string {
  return withoutNul(text.toWellFormed());
}

/** What is asked of texts as they are kept; of those it may name half a character. */
export function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}

function toolsOf(entry: SessionTreeEntry): string | null {
  if (entry.type !== "message") return null;
  const { role, toolName, content } = entry.message as unknown as Readonly<Record<string, unknown>>;
  const names =
    role === "assistant"
      ? blocksOf(content)
          .filter(isCall)
          .map(({ name }) => name)
      : [toolName];
  if (role === "bashExecution") names.push("bash");
  const known = names.filter((name): name is string => typeof name === "string" && name !== "");
  return known.length === 0 ? null : `\n${known.map(storable).join("\n")}\n`;
}

function isCall({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === "toolCall";
}
