import { timeBefore } from "./message-edges.ts";
import { MessageFront, typeInFront } from "./message-front.ts";
import { newline } from "./own-line.ts";

/** A line of which only the start and the end were kept if it was long. Valid until the next line is asked for. */
export interface LineStart {
  /** Without the newline. */
  readonly bytes: Uint8Array;
  /** Of the whole line. */
  readonly length: number;
  readonly terminated: boolean;
  /** What `bytes` say in UTF-8. */
  utf8(): string;
  /** If the line begins with it. */
  type(): string | undefined;
  /** Of a message that begins in the usual way. */
  role(): string | undefined;
  /** Of a message that has nothing behind its time; undefined if it may have one elsewhere. */
  time(): number | undefined;
  /** Up to `count` of the last bytes, and no more than `endLength` of a line that is not held whole. */
  last(count: number): string;
}

/** Long enough for what a message holds behind its time. */
export const endLength = 512;

/** Cuts chunks into lines of any length and holds at most `limit` bytes of one's start, which may be changed between lines. */
export class LineStarts {
  limit: number;
  readonly #line = new CurrentLine();
  #kept: Buffer = Buffer.alloc(0);
  #keptLength = 0;
  #end: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  *push(chunk: Uint8Array): Generator<LineStart> {
    // The method of buffers finds a byte several times as fast as that of arrays.
    const buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let at = buffer.indexOf(newline); at !== -1; at = buffer.indexOf(newline, from)) {
      yield this.#finish(buffer, from, at);
      from = at + 1;
    }
    if (from < buffer.length) this.#keep(buffer.subarray(from));
  }

  end(): LineStart | undefined {
    return this.#length === 0 ? undefined : this.#keptLine(false);
  }

  /** Forgets what went by, and begins with another file. */
  reset(limit: number): void {
    this.limit = limit;
    this.#length = 0;
    this.#keptLength = 0;
  }

  #finish(buffer: Buffer, from: number, to: number): LineStart {
    if (this.#length > 0) {
      this.#keep(buffer.subarray(from, to));
      const line = this.#keptLine(true);
      this.#length = 0;
      this.#keptLength = 0;
      return line;
    }
    const length = to - from;
    if (length <= this.limit) return this.#line.set(buffer, from, to, length, true);
    return this.#line.set(
      buffer,
      from,
      from + this.limit,
      length,
      true,
      buffer.subarray(Math.max(from, to - endLength), to),
    );
  }

  #keptLine(terminated: boolean): LineStart {
    const isWhole = this.#length === this.#keptLength;
    return this.#line.set(this.#kept, 0, this.#keptLength, this.#length, terminated, isWhole ? undefined : this.#end);
  }

  #keep(bytes: Buffer): void {
    const taken = Math.min(bytes.length, Math.max(0, this.limit - this.#keptLength));
    if (taken < bytes.length) this.#keepEnd(bytes);
    this.#length += bytes.length;
    if (taken === 0) return;
    const wanted = this.#keptLength + taken;
    if (wanted > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#kept.length, 8 << 10));
      this.#kept.copy(larger, 0, 0, this.#keptLength);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#keptLength, 0, taken);
    this.#keptLength = wanted;
  }

  #keepEnd(bytes: Buffer): void {
    const isWhole = this.#length === this.#keptLength;
    const before = isWhole
      ? this.#kept.subarray(Math.max(0, this.#keptLength - endLength), this.#keptLength)
      : this.#end;
    this.#end = Buffer.concat([before, bytes.subarray(-endLength)]).subarray(-endLength);
  }
}

const front = new MessageFront();

/** One object for all lines: most of them are looked at for no longer than it takes to make one. */
class CurrentLine implements LineStart {
  length = 0;
  terminated = false;
  #buffer: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  #end: Buffer | undefined;

  set(buffer: Buffer, from: number, to: number, length: number, terminated: boolean, end?: Buffer): this {
    this.#buffer = buffer;
    this.#from = from;
    this.#to = to;
    this.length = length;
    this.terminated = terminated;
    this.#end = end;
    return this;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#from, this.#to);
  }

  utf8(): string {
    return this.#buffer.toString("utf8", this.#from, this.#to);
  }

  type(): string | undefined {
    return typeInFront(this.#buffer, this.#from, this.#to);
  }

  role(): string | undefined {
    return front.find(this.#buffer, this.#from, this.#to) ? front.role(this.#buffer) : undefined;
  }

  time(): number | undefined {
    return this.#end ? undefined : timeBefore(this.#to, this.#buffer);
  }

  last(count: number): string {
    const end = this.#end;
    if (end) return end.toString("latin1", Math.max(0, end.length - count));
    return this.#buffer.toString("latin1", Math.max(this.#from, this.#to - count), this.#to);
  }
}
