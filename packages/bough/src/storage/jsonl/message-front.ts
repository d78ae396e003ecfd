import type { EntryHead, Position } from "../../entry/head.ts";

/*
 * Most lines of a session are messages, laid out one way, and most of their bytes are said behind the head. What
 * stands at the front of such a line is read byte by byte, without a look at the rest; any other line, and one with
 * an escape in its head, is for the decoder.
 */

const opening = Buffer.from('{"type":"message","id":"');
const parent = Buffer.from('","parentId":');
const time = Buffer.from(',"timestamp":"');
const body = Buffer.from('","message":{"role":"');
const nothing = Buffer.from("null");
const roles = ["assistant", "toolResult", "user"].map((role) => ({ role, bytes: Buffer.from(`${role}"`) }));

const quote = 0x22;
const backslash = 0x5c;

const message = Buffer.from('{"type":"message"');
const typed = Buffer.from('{"type":"');

/** The type that the line at `start` begins with, if it begins with one. */
export function typeInFront(bytes: Buffer, start: number, end: number): string | undefined {
  if (past(bytes, start, message, end) !== -1) return "message";
  const from = past(bytes, start, typed, end);
  const to = from === -1 ? -1 : plainEnd(bytes, from, end);
  return to === -1 ? undefined : bytes.toString("latin1", from, to);
}

/** More than any head takes: a line may be cut there. */
export const frontLength = 4096;

/**
 * The head of the line that begins at `start` of `bytes` and stands at `position` of its file. `neighbour` is the entry
 * of the line before it, if known, which is most often its parent: its id is shared, not copied.
 */
export function messageFront(
  bytes: Buffer,
  start: number,
  end: number,
  position: Position,
  neighbour: EntryHead | undefined,
): EntryHead | undefined {
  const limit = Math.min(end, start + frontLength);
  const idStart = past(bytes, start, opening, limit);
  const idEnd = idStart === -1 ? -1 : plainEnd(bytes, idStart, limit);
  const parentStart = idEnd <= idStart ? -1 : past(bytes, idEnd, parent, limit);
  if (parentStart === -1) return undefined;
  const parentEnd = valueEnd(bytes, parentStart, limit);
  const timeStart = parentEnd === -1 ? -1 : past(bytes, parentEnd, time, limit);
  const timeEnd = timeStart === -1 ? -1 : plainEnd(bytes, timeStart, limit);
  const roleStart = timeEnd === -1 ? -1 : past(bytes, timeEnd, body, limit);
  const role = roleStart === -1 ? undefined : roleAt(bytes, roleStart, limit);
  if (role === undefined) return undefined;
  // Strings of their own: slices of one would keep all of it.
  return {
    position,
    id: bytes.toString("latin1", idStart, idEnd),
    parentId: parentAt(bytes, parentStart, parentEnd, neighbour),
    type: "message",
    timestamp: bytes.toString("latin1", timeStart, timeEnd),
    role,
    unread: true,
  };
}

/** Where `expected` ends that stands at `at`; -1 if something else does. */
function past(bytes: Buffer, at: number, expected: Buffer, limit: number): number {
  const end = at + expected.length;
  if (end > limit) return -1;
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return -1;
  return end;
}

/** Where a string of plain ASCII ends whose first character is at `at`; -1 if it is anything else. */
function plainEnd(bytes: Buffer, at: number, limit: number): number {
  for (let index = at; index < limit; index++) {
    const byte = bytes[index] as number;
    if (byte === quote) return index;
    if (byte < 0x20 || byte > 0x7e || byte === backslash) return -1;
  }
  return -1;
}

/** Where null or a plain string ends. */
function valueEnd(bytes: Buffer, at: number, limit: number): number {
  if (bytes[at] !== quote) return past(bytes, at, nothing, limit);
  const end = plainEnd(bytes, at + 1, limit);
  return end === -1 ? -1 : end + 1;
}

function parentAt(bytes: Buffer, start: number, end: number, neighbour: EntryHead | undefined): string | null {
  if (bytes[start] !== quote) return null;
  if (neighbour && isText(bytes, start + 1, end - 1, neighbour.id)) return neighbour.id;
  return bytes.toString("latin1", start + 1, end - 1);
}

function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

function roleAt(bytes: Buffer, at: number, limit: number): string | undefined {
  const known = roles.find(({ bytes: expected }) => past(bytes, at, expected, limit) !== -1);
  if (known) return known.role;
  const end = plainEnd(bytes, at, limit);
  return end === -1 ? undefined : bytes.toString("latin1", at, end);
}
