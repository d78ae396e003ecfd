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

/** Cuts a stream of chunks into lines. Holds the unfinished line only, and copies it once however many chunks it spans. */
export class LineSplitter {
  #start: number;
  #pieces: Uint8Array[] = [];
  #pending = 0;

  /** `offset`: where in the file the first chunk begins, which must be the start of a line. */
  constructor(offset = 0) {
    this.#start = offset;
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
    if (this.#pending === 0) return undefined;
    const bytes = joined(this.#pieces, this.#pending);
    this.#pieces = [bytes];
    return { bytes, start: this.#start, end: this.#start + this.#pending, terminated: false };
  }

  #finish(last: Uint8Array): Line {
    const bytes = this.#pending === 0 ? last : joined([...this.#pieces, last], this.#pending + last.length);
    const start = this.#start;
    this.#start = start + bytes.length + 1;
    this.#pieces = [];
    this.#pending = 0;
    return { bytes, start, end: this.#start, terminated: true };
  }

  #keep(rest: Uint8Array): void {
    // A copy by the global typed array, since `Buffer.slice` would give a view of the caller's buffer.
    this.#pieces.push(Uint8Array.prototype.slice.call(rest));
    this.#pending += rest.length;
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
