import type { EntryHead, Position } from "./head.ts";
import type { Heads } from "./heads.ts";
import { idHash } from "./id-hash.ts";

/** What is known of some messages by the fronts of their records, and whole heads among them. */
export interface Columns {
  /** Relative to it stand the positions. */
  readonly position: Position;
  /** Of each message the id and the time, one behind the other. */
  readonly text: string;
  /** `columnCount` for each head, of which there are `length`. */
  readonly numbers: Int32Array;
  readonly length: number;
  readonly roles: readonly string[];
  /** Of messages whose parent is not the head before them. */
  readonly parents: ReadonlyMap<number, string | null>;
  readonly others: ReadonlyMap<number, EntryHead>;
}

/** Where the record stands, where in the text its id and its time end, and `messageCode` or `otherCode`. */
export const columnCount = 4;

export const otherCode = -1;

export function messageCode(role: number, hangsFromTheOneBefore: boolean): number {
  return 2 * role + (hangsFromTheOneBefore ? 1 : 0);
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
    const { numbers, roles } = this.#columns;
    const code = numbers[columnCount * index + 3] as number;
    if (code === otherCode) return this.#other(index);
    return {
      position: this.positionAt(index),
      id: this.idAt(index),
      parentId: this.#parentIdAt(index, code),
      type: "message",
      timestamp: this.#timestampAt(index),
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
    return this.#columns.text.slice(this.#textStart(index), this.#idEnd(index));
  }

  typeAt(index: number): string {
    return this.#isOther(index) ? this.#other(index).type : "message";
  }

  hashAt(index: number): number {
    if (this.#isOther(index)) return idHash(this.#other(index).id);
    return idHash(this.#columns.text, this.#textStart(index), this.#idEnd(index));
  }

  *[Symbol.iterator](): Iterator<EntryHead> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  #parentIdAt(index: number, code: number): string | null {
    return (code & 1) === 1 ? this.idAt(index - 1) : (this.#columns.parents.get(index) as string | null);
  }

  #timestampAt(index: number): string {
    const { text, numbers } = this.#columns;
    return text.slice(this.#idEnd(index), numbers[columnCount * index + 2]);
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
