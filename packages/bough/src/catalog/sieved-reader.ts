import type { Line } from "../format/lines.ts";
import { type FileSystem, readFully } from "../storage/files/file-system.ts";
import type { Extent } from "../storage/jsonl/session-lines.ts";
import { Haystack } from "./haystack.ts";
import type { Sieve } from "./sieve.ts";

/** Reads files through sieves, one after the other, in the same memory. */
export class SievedReader {
  readonly fileSystem: FileSystem;
  #haystack: Haystack | undefined;

  constructor(fileSystem: FileSystem) {
    this.fileSystem = fileSystem;
  }

  /** The lines that pass, and in front of them all lines of the head; each is valid until the next is asked for. */
  *lines({ fd, size }: Extent, sieve: Sieve, isHead: () => boolean): Generator<Line> {
    this.#haystack ??= new Haystack();
    const haystack = this.#haystack;
    let offset = 0;
    let held = 0;
    for (;;) {
      const wanted = Math.min(haystack.bytes.length - held, size - offset - held);
      const read = readFully(this.fileSystem, fd, haystack.bytes.subarray(held, held + wanted), offset + held);
      held += read;
      const isEnd = read < wanted || offset + held >= size;
      const whole = isEnd ? held : haystack.bytes.subarray(0, held).lastIndexOf(newline) + 1;
      let from = 0;
      while (from < whole && isHead()) from = yield* this.#headLine(haystack.bytes, from, whole, offset);
      if (from < whole) yield* sieve.linesIn(haystack, from, whole, offset);
      if (isEnd) return;
      if (whole === 0) haystack.grow();
      haystack.bytes.copyWithin(0, whole, held);
      offset += whole;
      held -= whole;
    }
  }

  *#headLine(bytes: Buffer, from: number, whole: number, offset: number): Generator<Line, number> {
    const at = bytes.subarray(0, whole).indexOf(newline, from);
    const terminated = at !== -1;
    const end = terminated ? at : whole;
    const past = terminated ? at + 1 : whole;
    yield { bytes: bytes.subarray(from, end), start: offset + from, end: offset + past, terminated };
    return past;
  }
}

const newline = 0x0a;
