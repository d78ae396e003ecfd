import { type FileSystem, readFully } from "../files/file-system.ts";
import { frontLength } from "./message-front.ts";

/** A line in a block of bytes, its newline left out. */
export interface BlockLine {
  /** In the file. */
  readonly position: number;
  /** In the block. Of a line that is longer than a block only the front is there. */
  readonly start: number;
  readonly end: number;
  /** Of the whole line. */
  readonly length: number;
}

export interface Block {
  /** Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** In file order. */
  readonly lines: readonly BlockLine[];
}

export interface BlockSizes {
  readonly first: number;
  readonly most: number;
}

const newline = 0x0a;

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

  /** Where the lines begin that were handed out. */
  get position(): number {
    return this.#end;
  }

  /** Undefined at the beginning. If reading fails, the next call tries the same again. */
  next(): Block | undefined {
    if (this.#end <= this.#begin) return undefined;
    const from = Math.max(this.#begin, this.#end - this.#size);
    const bytes = this.#read(from, this.#end);
    const start = from === this.#begin ? 0 : bytes.indexOf(newline) + 1;
    const block = start === bytes.length || (start === 0 && from > this.#begin) ? this.#longLine(from) : undefined;
    const cut = block ?? { bytes, lines: linesIn(bytes, from, start) };
    this.#end = cut.lines[0]?.position ?? from;
    this.#size = Math.min(this.#most, 4 * this.#size);
    return cut;
  }

  /** The one line that ends where the last block began and doesn't fit in a block. */
  #longLine(known: number): Block {
    const range = { begin: this.#begin, end: known };
    const start = lineStart(this.#fileSystem, this.#fd, range, this.#most);
    const bytes = this.#read(start, Math.min(this.#end, start + frontLength));
    const length = this.#end - 1 - start;
    return { bytes, lines: [{ position: start, start: 0, end: Math.min(length, bytes.length), length }] };
  }

  #read(from: number, to: number): Buffer {
    const bytes = block(to - from);
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
    const bytes = block(to - from);
    const found = bytes.subarray(0, readFully(fileSystem, fd, bytes, from)).lastIndexOf(newline);
    if (found !== -1) return from + found + 1;
    to = from;
  }
  return begin;
}

/** Every line of `bytes` is terminated. */
function linesIn(bytes: Buffer, position: number, from: number): BlockLine[] {
  const lines: BlockLine[] = [];
  let start = from;
  for (let end = bytes.indexOf(newline, start); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push({ position: position + start, start, end, length: end - start });
    start = end + 1;
  }
  return lines;
}

/** One for all files, since blocks are dealt with before anything else happens. */
let shared = Buffer.alloc(0);

function block(size: number): Buffer {
  if (shared.length < size) shared = Buffer.allocUnsafeSlow(size);
  return shared.subarray(0, size);
}
