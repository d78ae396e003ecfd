import { newline, type StoredLine } from "./own-line.ts";

/** In bytes, of all that is kept. */
const limit = 4 << 20;
const usualBlock = 64 << 10;

/**
 * The lines that were written last, so that they can be written again when somebody cut them off or wrote over them: who
 * writes a session anew from what he read once knows all but them. They are kept as bytes outside the heap, in blocks that
 * are used again.
 */
export class RecentLines {
  /** The oldest first. */
  readonly #blocks: Block[] = [];
  #length = 0;

  /** Of the first bytes of a write, what ends in a newline. */
  add(bytes: Uint8Array, taken = bytes.length): void {
    const length = taken > 0 && bytes[taken - 1] === newline ? taken : bytes.lastIndexOf(newline, taken - 1) + 1;
    if (length === 0 || length > limit) return;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.bytes.length - block.used < length) block = this.#nextBlock(length);
    block.bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length), block.used);
    block.used += length;
  }

  /** Those of these entries that are kept, the last of each. */
  linesOf(ids: ReadonlySet<string>): ReadonlyMap<string, StoredLine> {
    const lines = new Map<string, StoredLine>();
    for (const { bytes, used } of this.#blocks) {
      for (let start = 0; start < used; ) {
        const end = bytes.indexOf(newline, start);
        const line = Uint8Array.prototype.slice.call(bytes, start, end);
        const id = idIn(line);
        if (id !== undefined && ids.has(id)) lines.set(id, { id, bytes: line });
        start = end + 1;
      }
    }
    return lines;
  }

  #nextBlock(length: number): Block {
    let spare: Buffer | undefined;
    while (this.#length + Math.max(length, usualBlock) > limit) {
      const { bytes } = this.#blocks.shift() as Block;
      this.#length -= bytes.length;
      if (bytes.length >= length) spare = bytes;
    }
    const block = { bytes: spare ?? Buffer.allocUnsafeSlow(Math.max(length, usualBlock)), used: 0 };
    this.#length += block.bytes.length;
    this.#blocks.push(block);
    return block;
  }
}

interface Block {
  readonly bytes: Buffer;
  used: number;
}

function idIn(line: Uint8Array): string | undefined {
  try {
    return JSON.parse(Buffer.from(line).toString()).id;
  } catch {
    return undefined;
  }
}
