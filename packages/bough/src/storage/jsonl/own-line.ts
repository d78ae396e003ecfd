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

/**
 * Where batches are encoded one behind the other. Small ones share memory that is used again after `clear`, since fresh
 * memory outside the heap costs more than all else that an append does with its bytes.
 */
export class BatchEncoder {
  #block = Buffer.alloc(0);
  #used = 0;

  /** Its lines are views of it. What was encoded since the last `clear` stays as it is. */
  encode(records: RecordBatch): OwnBatch {
    const length = records.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0);
    const bytes = this.#room(length);
    let at = 0;
    const lines = records.map(({ entry, json }) => {
      const start = at;
      const end = start + bytes.write(json, start);
      bytes[end] = newline;
      at = end + 1;
      return { id: entry.id, bytes: bytes.subarray(start, end), entry };
    });
    return { lines, bytes };
  }

  /** Gives up all batches. */
  clear(): void {
    this.#used = 0;
  }

  #room(length: number): Buffer {
    if (length > blockLength) return Buffer.allocUnsafeSlow(length);
    if (this.#used + length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(blockLength);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return this.#block.subarray(start, this.#used);
  }
}

const blockLength = 64 << 10;
const newline = 0x0a;

export function joinedBatch(lines: readonly OwnLine[]): OwnBatch {
  return { lines, bytes: Buffer.concat(lines.flatMap(({ bytes }) => [bytes, lineBreak])) };
}

export const lineBreak = Uint8Array.of(newline);
