import type { MessageEntry } from "../../entry/entry.ts";
import type { JsonObject } from "../../entry/json.ts";
import { storedText } from "../../entry/stored-text.ts";

/** As much of a text as any preview needs. */
const enough = 4000;

/** What was kept of a line too long to be held. */
export interface Edges {
  readonly start: string;
  readonly end: string;
}

/** A message entry of which the head is known, and of the record's text the edges, if any. What isn't there is empty. */
export function messageFrom(head: JsonObject, { start, end }: Edges = { start: "", end: "" }): MessageEntry {
  const { id, parentId, timestamp } = head;
  const ownTime = timeAtEnd(end);
  return {
    type: "message",
    id: storedText(id),
    parentId: typeof parentId === "string" ? parentId : null,
    timestamp: storedText(timestamp),
    message: {
      role: roleIn(start),
      content: contentIn(start),
      ...(ownTime !== undefined && { timestamp: ownTime }),
    } as unknown as MessageEntry["message"],
  };
}

const time = ',"timestamp":';
/** Behind it few have more than simple values, and nobody has anything behind the message. */
const ending = /(\d{1,16})(?:,"\w+":(?:"[^"\\]*"|[\w.+-]+))*\}\}\r?$/y;

/** The message's own time, where a line of the usual form ends with it; nothing in a string or further down looks so. */
export function timeAtEnd(end: string): number | undefined {
  const at = end.lastIndexOf(time);
  if (at === -1) return undefined;
  ending.lastIndex = at + time.length;
  const [, digits] = ending.exec(end) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const timeBytes = Buffer.from(time);
const zero = 0x30;
const brace = 0x7d;
/** Their number is exact whatever they are. */
const mostDigits = 15;

/** The same of a line that ends at `end` and has nothing behind the time; undefined of any other. */
export function timeBefore(end: number, bytes: Buffer): number | undefined {
  if (bytes[end - 1] !== brace || bytes[end - 2] !== brace) return undefined;
  let at = end - 2;
  let value = 0;
  for (let unit = 1; end - 2 - at < mostDigits; unit *= 10) {
    const digit = (bytes[at - 1] ?? 0) - zero;
    if (digit < 0 || digit > 9) break;
    value += digit * unit;
    at--;
  }
  if (at === end - 2) return undefined;
  for (let index = 1; index <= timeBytes.length; index++) {
    if (bytes[at - index] !== timeBytes[timeBytes.length - index]) return undefined;
  }
  return value;
}

function roleIn(start: string): string {
  return /^.{0,4096}?"role"\s*:\s*"([^"]{1,40})"/s.exec(start)?.[1] ?? "unknown";
}

function contentIn(start: string): string | readonly object[] {
  const text = /"(?:text|content)"\s*:\s*"/.exec(start);
  if (text) return stringFrom(start, text.index + text[0].length);
  return /"type"\s*:\s*"image"/.test(start) ? [{ type: "image" }] : "";
}

/** The string whose first character is at `from`, as far as it is there. */
function stringFrom(json: string, from: number): string {
  let end = from;
  while (end < json.length && end - from < enough && json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
  const literal = json.slice(from, end);
  const cutEscape = /\\(u[0-9a-fA-F]{0,3})?$/.exec(literal);
  const isCut = cutEscape !== null && /(^|[^\\])(\\\\)*$/.test(literal.slice(0, cutEscape.index));
  try {
    return JSON.parse(`"${isCut ? literal.slice(0, cutEscape.index) : literal}"`);
  } catch {
    return "";
  }
}
