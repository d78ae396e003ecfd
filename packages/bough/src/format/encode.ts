import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { type HeadContent, headContent } from "../entry/head.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { jsonText, toJson, toJsonAndCopy } from "../entry/json.ts";
import { SessionError } from "../errors.ts";
import { longestLine } from "./line-text.ts";

/** The first line of a session in the current form, without its newline. Throws `invalid_entry` for what is no JSON. */
export function encodeHeader(header: SessionHeader): string {
  const { type, version: _, id, timestamp, cwd, ...rest } = header;
  return toJson({ type, version: CURRENT_SESSION_VERSION, id, timestamp, cwd, ...rest });
}

/** One line in the current form, without its newline; the head comes first. Throws `invalid_entry` for what is no JSON. */
export function encodeEntry(entry: SessionTreeEntry): string {
  return toJson(headFirst(entry));
}

/** What a log appends: the line, a frozen copy of the entry as it will be read back, and what its head will say. */
export function serialise(entry: SessionTreeEntry): {
  readonly head: HeadContent;
  readonly entry: SessionTreeEntry;
  readonly json: string;
} {
  const { json, copy } = toJsonAndCopy(headFirst(entry));
  return { head: headContent(copy), entry: copy, json: readable(json) };
}

/** The line of an entry that has no place yet, but for its place. */
export interface PlacelessLine {
  readonly front: string;
  readonly rest: string;
}

/** Throws `invalid_entry` for what is no JSON. */
export function encodeDraft(draft: EntryDraft): PlacelessLine {
  const front = `{"type":${JSON.stringify(draft.type)}`;
  const hasPlace = "id" in draft || "parentId" in draft || "timestamp" in draft;
  const json = hasPlace ? "" : toJson(draft);
  return { front, rest: (json.startsWith(front) ? json : toJson(typeFirst(draft))).slice(front.length) };
}

/** Throws `invalid_entry` where the line would get too long. */
export function encodePlaced({ front, rest }: PlacelessLine, { id, parentId, timestamp }: EntryPlace): string {
  const place = `,"id":${JSON.stringify(id)},"parentId":${JSON.stringify(parentId)},"timestamp":"${timestamp}"`;
  return readable(front + place + rest);
}

interface EntryPlace {
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Where an entry stands is not for a draft to say. */
function typeFirst(draft: EntryDraft): unknown {
  const { type, id: _, parentId: __, timestamp: ___, ...body } = draft as SessionTreeEntry;
  return { type, ...body };
}

/** The line of a frozen copy whose head comes first. Throws `invalid_entry` where it would get too long. */
export function encodeCopy(entry: SessionTreeEntry): string {
  return readable(jsonText(entry));
}

/** Throws `invalid_entry` for a line that nobody could read back. */
export function readable(json: string, longest = longestLine): string {
  if (json.length * 3 <= longest || new TextEncoder().encode(json).length <= longest) return json;
  throw new SessionError("invalid_entry", "the entry is too long to be read back", { field: "", reason: "too long" });
}

function headFirst({ type, id, parentId, timestamp, ...body }: SessionTreeEntry): SessionTreeEntry {
  return { type, id, parentId, timestamp, ...body } as SessionTreeEntry;
}
