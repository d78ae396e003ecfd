import { recordWalkCode } from "./record-walk-code.ts";

/** The part of WebAssembly that is used, which no library of types has without a browser's. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: Exports };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Writes what is sought in the text to `out`, and returns where it ends; 0 if the text is not certain to be an object. */
  walk(start: number, end: number, group: number, out: number): number;
}

/**
 * Members to keep: a value as it is, of a value whether it is a string (then it becomes the empty one), or of an object
 * some members.
 */
export interface Sought {
  readonly [name: string]: "value" | "kind" | Sought;
}

// Where things are in the program's memory; the first kilobyte is its own.
const groupsStart = 1024;
const textStart = 4096;
const groupHead = 16;
const memberSize = 32;
const padding = 16;
const pageSize = 1 << 16;
const longestLine = 4 << 20;

/**
 * Walks over the bytes of a record, checks that all of it is JSON, strictly, and copies the members that are sought. The
 * work is done by the program in `record-walk.wat`: sixteen bytes at a time, and from the first line on at full speed.
 */
export class RecordWalk {
  readonly #exports: Exports;
  readonly #group: number;
  #bytes = new Uint8Array();
  #groupsEnd = groupsStart;

  /** Throws where programs can't be loaded. Names are ASCII of at most 15 characters. */
  constructor(sought: Sought) {
    const code = Uint8Array.from(atob(recordWalkCode), (character) => character.charCodeAt(0));
    this.#exports = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#group = this.#lay(sought);
  }

  /**
   * The JSON of an object with the members of `line` that are sought, in their order; valid until the next walk. Undefined
   * if the line is no JSON object, or one that had better be decoded: very long, with white space between tokens, with
   * escapes or other than ASCII in a key where members are sought, or deeply nested.
   */
  walk(line: Uint8Array): Uint8Array | undefined {
    if (line.length > longestLine) return undefined;
    const end = textStart + line.length;
    const out = end + padding;
    this.#reserve(out + line.length);
    this.#bytes.set(line, textStart);
    // No token goes on over a NUL, so nothing is read beyond.
    this.#bytes.fill(0, end, out);
    const outEnd = this.#exports.walk(textStart, end, this.#group, out);
    return outEnd === 0 ? undefined : this.#bytes.subarray(out, outEnd);
  }

  #reserve(size: number): void {
    const { memory } = this.#exports;
    if (size <= this.#bytes.length) return;
    memory.grow(Math.ceil((size - this.#bytes.length) / pageSize));
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /** Writes down what is sought where the program looks for it. */
  #lay(sought: Sought): number {
    const members = Object.entries(sought);
    const group = this.#groupsEnd;
    this.#groupsEnd += groupHead + members.length * memberSize;
    const numbers = new Int32Array(this.#bytes.buffer);
    numbers[group / 4] = members.length;
    for (const [index, [name, reading]] of members.entries()) {
      const at = group + groupHead + index * memberSize;
      this.#bytes.set(new TextEncoder().encode(name), at);
      numbers[at / 4 + 4] = typeof reading === "object" ? this.#lay(reading) : 0;
      numbers[at / 4 + 5] = reading === "kind" ? 1 : 0;
    }
    return group;
  }
}
