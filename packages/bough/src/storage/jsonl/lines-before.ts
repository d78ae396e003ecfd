import { type FileSystem, readFully } from "../files/file-system.ts";
import { frontLength } from "./message-front.ts";
import { newline } from "./own-line.ts";
import { reusedBytes } from "./reused-bytes.ts";

/** Neighbouring lines of a file, in file order. */
export interface Block {
  /** Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** Where in the file the bytes stand. */
  readonly position: number;
  /** Where in the bytes the first line begins; each of the others begins behind the newline of the one before. */
  readonly first: number;
  /** Where in the bytes the lines end, their newlines left out. */
  readonly ends: readonly number[];
  /** Of a block that is the front of one line which is longer than a block: how long the whole line is. */
  readonly longLine?: number;
}

export interface BlockSizes {
  readonly first: number;
  readonly most: number;
}

/**
 * The lines of a file from its end (or a newline) to its beginning, a block at a time, the last block first. Blocks grow
 * up to a size; a line that doesn't fit is passed over and handed out by its front, so that nothing is held but a block.
 */
export class LinesBefore {
  readonly #fileSystem: FileSystem;
  readonly #fd: number;
  /** Where the first line begins. */
  readonly #begin: number;
  readonly #most: number;
  #size: number;
  #end: number;

  constructor(fileSystem: FileSystem, fd: number, range: { begin: number; end: number }, sizes: BlockSizes) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
    this.#begin = range.begin;
    this.#end = range.end;
    this.#size = sizes.first;
    this.#most = sizes.most;
  }

  /** Another reader of the same lines, which begins where this one stands. */
  again(): LinesBefore {
    const range = { begin: this.#begin, end: this.#end };
    return new LinesBefore(this.#fileSystem, this.#fd, range, { first: this.#most, most: this.#most });
  }

  /** Undefined at the beginning. If reading fails, the next call tries the same again. */
  next(): Block | undefined {
    if (this.#end <= this.#begin) return undefined;
    const from = Math.max(this.#begin, this.#end - this.#size);
    const bytes = this.#read(from, this.#end);
    const start = from === this.#begin ? 0 : bytes.indexOf(newline) + 1;
    const block = start === bytes.length || (start === 0 && from > this.#begin) ? this.#longLine(from) : undefined;
    const cut: Block = block ?? { bytes, position: from, first: start, ends: newlinesIn(bytes, start) };
    this.#end = cut.position + cut.first;
    this.#size = Math.min(this.#most, 4 * this.#size);
    return cut;
  }

  /** The one line that ends where the last block began and doesn't fit in a block. */
  #longLine(known: number): Block {
    const range = { begin: this.#begin, end: known };
    const start = lineStart(this.#fileSystem, this.#fd, range, this.#most);
    const bytes = this.#read(start, Math.min(this.#end, start + frontLength));
    const longLine = this.#end - 1 - start;
    return { bytes, position: start, first: 0, ends: [Math.min(longLine, bytes.length)], longLine };
  }

  #read(from: number, to: number): Buffer {
    const bytes = reusedBytes(to - from);
    return bytes.subarray(0, readFully(this.#fileSystem, this.#fd, bytes, from));
  }
}

/** Where the line begins of which a part ends at `end`: behind the last newline before, or at `begin`. */
export function lineStart(
  fileSystem: FileSystem,
  fd: number,
  { begin, end }: { readonly begin: number; readonly end: number },
  blockSize: number,
): number {
  for (let to = end; to > begin; ) {
    const from = Math.max(begin, to - blockSize);
    const bytes = reusedBytes(to - from);
    const found = bytes.subarray(0, readFully(fileSystem, fd, bytes, from)).lastIndexOf(newline);
    if (found !== -1) return from + found + 1;
    to = from;
  }
  return begin;
}

function newlinesIn(bytes: Buffer, from: number): number[] {
  const ends: number[] = [];
  for (let end = bytes.indexOf(newline, from); end !== -1; end = bytes.indexOf(newline, end + 1)) ends.push(end);
  return ends;
}
