import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { RecordBatch } from "../../session/entry-log.ts";

/** A record that this process writes, as the bytes of its line without the newline. */
export interface OwnLine {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Absent of a line that was only copied. */
  readonly entry?: SessionTreeEntry;
}

/** Lines that are written with one call. */
export interface OwnBatch {
  readonly lines: readonly OwnLine[];
  /** All of them, each with its newline. */
  readonly bytes: Uint8Array;
}

/** Encodes the batch once; its lines are views of it. */
export function ownBatch(records: RecordBatch): OwnBatch {
  const bytes = Buffer.from(records.reduce((text, { json }) => `${text}${json}\n`, ""));
  let at = 0;
  const lines = records.map(({ entry, json }) => {
    const start = at;
    const end = records.length === 1 ? bytes.length - 1 : start + Buffer.byteLength(json);
    at = end + 1;
    return { id: entry.id, bytes: bytes.subarray(start, end), entry };
  });
  return { lines, bytes };
}

export function joinedBatch(lines: readonly OwnLine[]): OwnBatch {
  return { lines, bytes: Buffer.concat(lines.flatMap(({ bytes }) => [bytes, lineBreak])) };
}

export const lineBreak = Uint8Array.of(0x0a);
