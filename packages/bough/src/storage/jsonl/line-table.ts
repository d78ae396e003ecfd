import type { EntryHead, Position } from "../../entry/head.ts";

/** Where a file keeps its entries. A position is the byte at which the entry's line begins. */
export class LineTable {
  readonly #heads: EntryHead[] = [];
  readonly #lengths: number[] = [];
  readonly #indexes = new Map<string, number>();
  /** From the line of a repeated id to the one before it. */
  readonly #earlier = new Map<number, number>();

  /** Lines come in file order. Returns whether the id was there before; the last line of an id counts. */
  add(head: EntryHead, length: number): boolean {
    const earlier = this.#indexes.get(head.id);
    if (earlier !== undefined) this.#earlier.set(this.#heads.length, earlier);
    this.#indexes.set(head.id, this.#heads.length);
    this.#heads.push(head);
    this.#lengths.push(length);
    return earlier !== undefined;
  }

  get last(): TableLine | undefined {
    return this.#at(this.#heads.length - 1);
  }

  /** The last line of an id. */
  of(id: string): TableLine | undefined {
    return this.#at(this.#indexes.get(id) ?? -1);
  }

  /** All lines of an id, the last first. */
  *allOf(id: string): Generator<TableLine> {
    for (let index = this.#indexes.get(id); index !== undefined; index = this.#earlier.get(index)) {
      yield this.#at(index) as TableLine;
    }
  }

  at(position: Position): TableLine | undefined {
    let low = 0;
    let high = this.#heads.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#heads[middle] as EntryHead).position < position) low = middle + 1;
      else high = middle;
    }
    const line = this.#at(low);
    return line?.head.position === position ? line : undefined;
  }

  #at(index: number): TableLine | undefined {
    const head = this.#heads[index];
    return head && { head, length: this.#lengths[index] as number };
  }
}

export interface TableLine {
  readonly head: EntryHead;
  /** In bytes, without the newline. */
  readonly length: number;
}
