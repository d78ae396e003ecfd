import type { SessionTreeEntry } from "../entry/entry.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { copyToJson, toJson, toJsonAndCopy } from "../entry/json.ts";
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

/** What a log appends: the line, and a frozen copy of the entry as it will be read back. */
export function serialise(entry: SessionTreeEntry): { readonly entry: SessionTreeEntry; readonly json: string } {
  const { json, copy } = toJsonAndCopy(headFirst(entry));
  return { entry: copy, json: readable(json) };
}

/** The line of a frozen copy whose head comes first. Throws `invalid_entry` where it would get too long. */
export function encodeCopy(entry: SessionTreeEntry): string {
  return readable(copyToJson(entry));
}

/** Throws `invalid_entry` for a line that nobody could read back. */
export function readable(json: string, longest = longestLine): string {
  if (json.length * 3 <= longest || new TextEncoder().encode(json).length <= longest) return json;
  throw new SessionError("invalid_entry", "the entry is too long to be read back", { field: "", reason: "too long" });
}

function headFirst({ type, id, parentId, timestamp, ...body }: SessionTreeEntry): SessionTreeEntry {
  return { type, id, parentId, timestamp, ...body } as SessionTreeEntry;
}
