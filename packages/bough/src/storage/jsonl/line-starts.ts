/** A line of which only the start was kept if it was long. */
export interface LineStart {
  /** Without the newline; valid until the next line is asked for. */
  readonly bytes: Uint8Array;
  /** Of the whole line. */
  readonly length: number;
  readonly terminated: boolean;
}

const newline = 0x0a;

/** Cuts chunks into lines of any length and holds at most `limit` bytes, which may be changed between lines. */
export class LineStarts {
  limit: number;
  #kept = new Uint8Array(1 << 12);
  #keptLength = 0;
  #length = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  *push(chunk: Uint8Array): Generator<LineStart> {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      yield this.#finish(chunk.subarray(from, at));
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  end(): LineStart | undefined {
    if (this.#length === 0) return undefined;
    return { bytes: this.#kept.subarray(0, this.#keptLength), length: this.#length, terminated: false };
  }

  #finish(rest: Uint8Array): LineStart {
    if (this.#length === 0) return { bytes: rest.subarray(0, this.limit), length: rest.length, terminated: true };
    this.#keep(rest);
    const line = { bytes: this.#kept.subarray(0, this.#keptLength), length: this.#length, terminated: true };
    this.#length = 0;
    this.#keptLength = 0;
    return line;
  }

  #keep(bytes: Uint8Array): void {
    this.#length += bytes.length;
    const taken = bytes.subarray(0, Math.max(0, this.limit - this.#keptLength));
    if (taken.length === 0) return;
    const wanted = this.#keptLength + taken.length;
    if (wanted > this.#kept.length) {
      const larger = new Uint8Array(Math.max(wanted, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.#keptLength));
      this.#kept = larger;
    }
    this.#kept.set(taken, this.#keptLength);
    this.#keptLength = wanted;
  }
}
