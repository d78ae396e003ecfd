import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { EntryRecord } from "../../session/entry-log.ts";

/** A record that this process writes, as the bytes of its line without the newline. */
export interface OwnLine {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Absent of a line that was only copied. */
  readonly entry?: SessionTreeEntry;
}

export function ownLine({ entry, json }: EntryRecord): OwnLine {
  return { id: entry.id, bytes: Buffer.from(json), entry };
}

/** The bytes of one write: each line with its newline, one in front if the file may not end in one. */
export function oneWrite(lines: readonly OwnLine[], startsNewLine: boolean): Uint8Array {
  const parts = lines.flatMap(({ bytes }) => [bytes, lineBreak]);
  return Buffer.concat(startsNewLine ? [lineBreak, ...parts] : parts);
}

const lineBreak = Uint8Array.of(0x0a);
