import type { EntryRecord } from "../../session/entry-log.ts";

/** A line that this process writes: a record, or a line of another file as it stood there. */
export type OwnLine = EntryRecord | StoredLine;

export interface StoredLine {
  readonly id: string;
  /** Without the newline. */
  readonly bytes: Uint8Array;
}

export function idOf(line: OwnLine): string {
  return "bytes" in line ? line.id : line.head.id;
}

/** The line without its newline. */
export function bytesOf(line: OwnLine): Uint8Array {
  return "bytes" in line ? line.bytes : Buffer.from(line.json);
}

/** All of them, each with its newline. */
export function joinedLines(lines: readonly OwnLine[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line) => [bytesOf(line), lineBreak]));
}

export const newline = 0x0a;
export const lineBreak = Uint8Array.of(newline);
