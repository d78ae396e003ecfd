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

/** Where in the bytes of a line the head of a message stands; one object for all lines. */
export class MessageFront {
  idStart = 0;
  idEnd = 0;
  /** Quotes included; or where the null stands. */
  parentStart = 0;
  parentEnd = 0;
  timeStart = 0;
  timeEnd = 0;
  roleStart = 0;
  roleEnd = 0;

  /** Looks at the line that begins at `start`. Returns whether it is a message whose head can be read so. */
  find(bytes: Buffer, start: number, end: number): boolean {
    const limit = Math.min(end, start + frontLength);
    this.idStart = past(bytes, start, opening, limit);
    this.idEnd = this.idStart === -1 ? -1 : plainEnd(bytes, this.idStart, limit);
    this.parentStart = this.idEnd <= this.idStart ? -1 : past(bytes, this.idEnd, parent, limit);
    this.parentEnd = this.parentStart === -1 ? -1 : valueEnd(bytes, this.parentStart, limit);
    this.timeStart = this.parentEnd === -1 ? -1 : past(bytes, this.parentEnd, time, limit);
    this.timeEnd = this.timeStart === -1 ? -1 : plainEnd(bytes, this.timeStart, limit);
    this.roleStart = this.timeEnd === -1 ? -1 : past(bytes, this.timeEnd, body, limit);
    this.roleEnd = this.roleStart === -1 ? -1 : plainEnd(bytes, this.roleStart, limit);
    return this.roleEnd !== -1;
  }

  /** The role that was found in these bytes. */
  role(bytes: Buffer): string {
    for (const { name, spelled } of usualRoles) {
      if (past(bytes, this.roleStart, spelled, this.roleEnd) === this.roleEnd) return name;
    }
    return bytes.toString("latin1", this.roleStart, this.roleEnd);
  }
}

/** To make a string of each would take longer than to find it. */
const usualRoles = ["assistant", "toolResult", "user"].map((name) => ({ name, spelled: Buffer.from(name) }));

const plain = String.raw`[ !#-[\]-~]`;
const front = new RegExp(
  String.raw`^\{"type":"message","id":"(${plain}+)","parentId":(?:null|"(${plain}*)"),"timestamp":"(${plain}*)","message":\{"role":"(${plain}*)"`,
);
const usualFront = 512;

/**
 * The head of the message in the line that begins at `start`, if it can be read as `MessageFront` reads it. Of few lines
 * an expression finds it sooner: code that looks at one byte after the other is slow until it has run for a while.
 */
export function messageHead(bytes: Buffer, start: number, end: number, position: Position): EntryHead | undefined {
  const found = front.exec(bytes.toString("latin1", start, Math.min(end, start + usualFront)));
  if (found === null) return undefined;
  const [, id, parentId = null, timestamp, role] = found as readonly (string | undefined)[];
  return { position, id, parentId, type: "message", timestamp, role, unread: true } as EntryHead;
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
