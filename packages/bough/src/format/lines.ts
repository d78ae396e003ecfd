/** One line of a session, found by its terminator, byte 0x0A, alone. */
export interface Line {
  /** Without the 0x0A. May be a view of the chunk it came in, so it is valid until that buffer is used again. */
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Exclusive; the newline is included. */
  readonly end: number;
  readonly terminated: boolean;
}

const newline = 0x0a;

/** Takes the beginning of a line in pieces, which are not to be held on to. */
export interface UnfinishedLine {
  push(piece: Uint8Array): void;
  /** All that was pushed, or what is made of it. More may come. */
  bytes(): Uint8Array;
}

/** Cuts a stream of chunks into lines. Holds the unfinished line only, and joins it once however many chunks it spans. */
export class LineSplitter {
  #start: number;
  readonly #begin: () => UnfinishedLine;
  #unfinished: UnfinishedLine | undefined;
  #pending = 0;

  /**
   * `offset`: where in the file the first chunk begins, which must be the start of a line. `begin` makes what holds lines
   * that lie across chunks; whole unless it is given.
   */
  constructor(offset = 0, begin: () => UnfinishedLine = () => new Pieces()) {
    this.#start = offset;
    this.#begin = begin;
  }

  /** The lines that `chunk` finishes. The buffer may be reused once they have been dealt with. */
  push(chunk: Uint8Array): Iterable<Line> {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      lines.push(this.#finish(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** Passes over so many bytes of whole lines, which are not pushed. */
  skip(length: number): void {
    this.#start += length;
  }

  /** The rest that no newline has ended yet. Takes nothing away: a later `push` goes on with the same line. */
  end(): Line | undefined {
    if (this.#unfinished === undefined) return undefined;
    const end = this.#start + this.#pending;
    return { bytes: this.#unfinished.bytes(), start: this.#start, end, terminated: false };
  }

  #finish(last: Uint8Array): Line {
    const start = this.#start;
    this.#start = start + this.#pending + last.length + 1;
    const unfinished = this.#unfinished;
    this.#unfinished = undefined;
    this.#pending = 0;
    unfinished?.push(last);
    return { bytes: unfinished?.bytes() ?? last, start, end: this.#start, terminated: true };
  }

  #keep(rest: Uint8Array): void {
    this.#unfinished ??= this.#begin();
    this.#unfinished.push(rest);
    this.#pending += rest.length;
  }
}

/** Holds a line whole. */
export class Pieces implements UnfinishedLine {
  #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    // A copy by the global typed array, since `Buffer.slice` would give a view of the caller's buffer.
    this.#pieces.push(Uint8Array.prototype.slice.call(piece));
    this.#length += piece.length;
  }

  bytes(): Uint8Array {
    const bytes = joined(this.#pieces, this.#length);
    this.#pieces = [bytes];
    return bytes;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
