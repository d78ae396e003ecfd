import type { EntryHead, Position } from "./head.ts";
import type { Heads } from "./heads.ts";
import { asciiHash, idHash } from "./id-hash.ts";

/** What is known of some messages by the fronts of their records, and whole heads among them. */
export interface Columns {
  /** Relative to it stand the positions. */
  readonly position: Position;
  /** Of each message the id and the time in plain ASCII, one behind the other. */
  readonly text: Uint8Array;
  /** `columnCount` for each head, of which there are `length`. */
  readonly numbers: Int32Array;
  readonly length: number;
  readonly roles: readonly string[];
  /** Of messages whose parent is not the head before them. */
  readonly parents: ReadonlyMap<number, string | null>;
  /** In order. */
  readonly others: ReadonlyMap<number, EntryHead>;
}

/** Where the record stands, where in the text its id and its time end, and `messageCode` or `otherCode`. */
export const columnCount = 4;

export const otherCode = -1;

export function messageCode(role: number, isChained: boolean): number {
  return 2 * role + (isChained ? 1 : 0);
}

function isChainedCode(code: number): boolean {
  return (code & 1) === 1;
}

const decoder = new TextDecoder();

/** Of the columns looked at last, since strings take more room than bytes. */
let decoded: { readonly columns?: Columns; readonly text: string } = { text: "" };

function textOf(columns: Columns): string {
  if (decoded.columns !== columns) decoded = { columns, text: decoder.decode(columns.text) };
  return decoded.text;
}

/** Heads of which an object is made whenever one is asked for: some 50 bytes each instead of 300. */
export class HeadColumns implements Heads {
  readonly length: number;
  readonly #columns: Columns;

  constructor(columns: Columns) {
    this.#columns = columns;
    this.length = columns.length;
  }

  at(index: number): EntryHead {
    const { position, numbers, roles } = this.#columns;
    const row = columnCount * index;
    const code = numbers[row + 3] as number;
    if (code === otherCode) return this.#other(index);
    const text = textOf(this.#columns);
    const idEnd = numbers[row + 1] as number;
    return {
      position: position + (numbers[row] as number),
      id: text.slice(this.#textStart(index), idEnd),
      parentId: this.#parentIdAt(index, code),
      type: "message",
      timestamp: text.slice(idEnd, numbers[row + 2]),
      role: roles[code >> 1] as string,
      unread: true,
    };
  }

  positionAt(index: number): Position {
    const { position, numbers } = this.#columns;
    return position + (numbers[columnCount * index] as number);
  }

  idAt(index: number): string {
    if (this.#isOther(index)) return this.#other(index).id;
    return textOf(this.#columns).slice(this.#textStart(index), this.#idEnd(index));
  }

  isIdAt(index: number, id: string): boolean {
    if (this.#isOther(index)) return this.#other(index).id === id;
    const { text } = this.#columns;
    const start = this.#textStart(index);
    if (this.#idEnd(index) - start !== id.length) return false;
    for (let at = 0; at < id.length; at++) if (text[start + at] !== id.charCodeAt(at)) return false;
    return true;
  }

  typeAt(index: number): string {
    return this.#isOther(index) ? this.#other(index).type : "message";
  }

  isChained(index: number): boolean {
    const code = this.#columns.numbers[columnCount * index + 3] as number;
    return code !== otherCode && isChainedCode(code);
  }

  hashAt(index: number): number {
    if (this.#isOther(index)) return idHash(this.#other(index).id);
    return asciiHash(this.#columns.text, this.#textStart(index), this.#idEnd(index));
  }

  others(): Iterable<number> {
    return this.#columns.others.keys();
  }

  *[Symbol.iterator](): Iterator<EntryHead> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  #parentIdAt(index: number, code: number): string | null {
    return isChainedCode(code) ? this.idAt(index - 1) : (this.#columns.parents.get(index) as string | null);
  }

  #textStart(index: number): number {
    return index === 0 ? 0 : (this.#columns.numbers[columnCount * index - 2] as number);
  }

  #idEnd(index: number): number {
    return this.#columns.numbers[columnCount * index + 1] as number;
  }

  #isOther(index: number): boolean {
    return this.#columns.numbers[columnCount * index + 3] === otherCode;
  }

  #other(index: number): EntryHead {
    return this.#columns.others.get(index) as EntryHead;
  }
}
