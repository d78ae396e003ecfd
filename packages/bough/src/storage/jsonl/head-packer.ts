import type { EntryHead } from "../../entry/head.ts";
import { columnCount, HeadColumns, messageCode, otherCode } from "../../entry/head-columns.ts";
import type { Block } from "./lines-before.ts";
import type { MessageFront } from "./message-front.ts";

const usualRoles: readonly string[] = ["assistant", "toolResult", "user"];
const quote = 0x22;

/** What becomes of the text; one for all blocks, since each is packed before anything else happens. */
let scratch = Buffer.alloc(0);

/** Puts the heads of a block's lines into columns, in file order. */
export class HeadPacker {
  readonly #bytes: Buffer;
  readonly #position: number;
  readonly #numbers: Int32Array;
  readonly #parents = new Map<number, string | null>();
  readonly #others = new Map<number, EntryHead>();
  #roles = usualRoles;
  #count = 0;
  #textLength = 0;
  /** Where in the block the id of the head before stands; nowhere if that was no message. */
  #idStart = 0;
  #idEnd = 0;

  constructor({ bytes, position, ends }: Block) {
    this.#bytes = bytes;
    this.#position = position;
    this.#numbers = new Int32Array(columnCount * ends.length);
  }

  /** A message whose line begins at `start` of the block. */
  addMessage(start: number, front: MessageFront): void {
    const isChild = this.#isIdBefore(front.parentStart, front.parentEnd);
    if (!isChild) this.#parents.set(this.#count, this.#parentOf(front));
    this.#copy(front.idStart, front.idEnd);
    const idEnd = this.#textLength;
    this.#copy(front.timeStart, front.timeEnd);
    this.#addRow(start, idEnd, messageCode(this.#roleOf(front), isChild));
    this.#idStart = front.idStart;
    this.#idEnd = front.idEnd;
  }

  addOther(head: EntryHead): void {
    this.#others.set(this.#count, head);
    this.#addRow(head.position - this.#position, this.#textLength, otherCode);
    this.#idEnd = this.#idStart;
  }

  packed(): HeadColumns {
    return new HeadColumns({
      position: this.#position,
      text: new Uint8Array(scratch.subarray(0, this.#textLength)),
      numbers: this.#numbers,
      length: this.#count,
      roles: this.#roles,
      parents: this.#parents,
      others: this.#others,
    });
  }

  #addRow(start: number, idEnd: number, code: number): void {
    const at = columnCount * this.#count++;
    this.#numbers[at] = start;
    this.#numbers[at + 1] = idEnd;
    this.#numbers[at + 2] = this.#textLength;
    this.#numbers[at + 3] = code;
  }

  #isIdBefore(parentStart: number, parentEnd: number): boolean {
    const bytes = this.#bytes;
    const from = this.#idStart;
    const length = this.#idEnd - from;
    if (length === 0 || parentEnd - parentStart !== length + 2) return false;
    for (let index = 0; index < length; index++) {
      if (bytes[parentStart + 1 + index] !== bytes[from + index]) return false;
    }
    return true;
  }

  #parentOf({ parentStart, parentEnd }: MessageFront): string | null {
    if (this.#bytes[parentStart] !== quote) return null;
    return this.#bytes.toString("latin1", parentStart + 1, parentEnd - 1);
  }

  #roleOf({ roleStart, roleEnd }: MessageFront): number {
    for (let index = 0; index < usualRoles.length; index++) {
      if (this.#isText(usualRoles[index] as string, roleStart, roleEnd)) return index;
    }
    const role = this.#bytes.toString("latin1", roleStart, roleEnd);
    const known = this.#roles.indexOf(role);
    if (known !== -1) return known;
    this.#roles = [...this.#roles, role];
    return this.#roles.length - 1;
  }

  #isText(text: string, start: number, end: number): boolean {
    if (end - start !== text.length) return false;
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[start + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  #copy(start: number, end: number): void {
    const length = this.#textLength + end - start;
    if (length > scratch.length) scratch = Buffer.concat([scratch], Math.max(2 * length, 8 << 10));
    for (let from = start, to = this.#textLength; from < end; from++, to++) scratch[to] = this.#bytes[from] as number;
    this.#textLength = length;
  }
}
