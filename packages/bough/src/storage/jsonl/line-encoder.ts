import type { RecordBatch } from "../../session/entry-log.ts";
import { newline } from "./own-line.ts";

/** Batches that go into one write. */
export interface EncodedWrite {
  /** Each line with its newline. Valid until the next is encoded. */
  readonly bytes: Uint8Array;
  /** The place of the first batch that is not in it. */
  readonly next: number;
}

/**
 * Makes bytes of records, in memory that is used again for each write: fresh memory outside the heap costs more than all
 * else that an append does with its bytes.
 */
export class LineEncoder {
  #block = Buffer.alloc(0);

  /**
   * The batch at `first`, and of those behind it as many as there is room for. The lengths of the lines, without their
   * newlines, are added to `lengths`.
   */
  encode(batches: readonly RecordBatch[], first: number, lengths: number[]): EncodedWrite {
    const opening = batches[first] as RecordBatch;
    const target = this.#targetFor(opening);
    let used = put(opening, target, 0, lengths);
    let next = first + 1;
    for (; next < batches.length; next++) {
      const batch = batches[next] as RecordBatch;
      if (roomFor(batch) > target.length - used) break;
      used = put(batch, target, used, lengths);
    }
    return { bytes: target.subarray(0, used), next };
  }

  #targetFor(batch: RecordBatch): Buffer {
    if (roomFor(batch) > blockLength) {
      const length = batch.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0);
      if (length > blockLength) return Buffer.allocUnsafeSlow(length);
    }
    if (this.#block.length === 0) this.#block = Buffer.allocUnsafeSlow(blockLength);
    return this.#block;
  }
}

const blockLength = 64 << 10;

/** No character of a string takes more than three bytes, and counting them would take as long as writing them. */
function roomFor(batch: RecordBatch): number {
  let room = 0;
  for (const { json } of batch) room += json.length * 3 + 1;
  return room;
}

function put(batch: RecordBatch, target: Buffer, start: number, lengths: number[]): number {
  let at = start;
  for (const { json } of batch) {
    const length = target.write(json, at);
    lengths.push(length);
    at += length;
    target[at++] = newline;
  }
  return at;
}
