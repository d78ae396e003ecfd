import type { EntryHead, Position } from "../../entry/head.ts";
import { HeadStretches } from "../../entry/head-stretches.ts";
import type { Heads } from "../../entry/heads.ts";
import { idHash } from "../../entry/id-hash.ts";
import { IdIndex } from "../../entry/id-index.ts";
import type { RecordRun } from "../../session/entry-log.ts";
import type { ByteRange } from "./read-ranges.ts";

export interface TableLine {
  readonly head: EntryHead;
  /** In bytes, without the newline. */
  readonly length: number;
}

export interface Repetition {
  readonly line: TableLine;
  /** The next line with its id. */
  readonly repeatedBy: TableLine;
}

/**
 * Where a file keeps its entries, as far as it was read: from some line on to its end. A position is the byte at which
 * the entry's line begins.
 */
export class LineTable {
  readonly #heads = new HeadStretches();
  /** Of the lines that were added behind. */
  readonly #lengths: number[] = [];
  /** Of each stretch that was put before. */
  readonly #olderLengths: (readonly number[])[] = [];
  /** Of so many of these the ids were looked at. */
  #indexed = 0;
  /** Of the last line of each id. */
  readonly #ids = new IdIndex(this.#heads);
  /** From the line of a repeated id to the one before it. */
  readonly #earlier = new Map<number, number>();
  /** Of the first line known, for ids that are repeated. */
  readonly #first = new Map<string, number>();

  /** Takes in the line behind all others. Returns whether the id was known before; the last line of an id counts. */
  add({ head, length }: TableLine): boolean {
    const line = this.#heads.add(head);
    this.#lengths.push(length);
    const hash = idHash(head.id);
    const earlier = this.#ids.insert(line, hash);
    if (earlier === undefined) return false;
    this.#ids.replace(line, hash);
    this.#earlier.set(line, earlier);
    if (!this.#first.has(head.id)) this.#first.set(head.id, earlier);
    return true;
  }

  /** Takes in lines in front of all others, in file order. Their ids are not looked at before `indexIds`. */
  addBefore(heads: Heads, lengths: readonly number[]): void {
    if (heads.length === 0) return;
    this.#heads.addBefore(heads);
    this.#olderLengths.push(lengths);
  }

  /** Looks at the ids of all lines taken in. Returns pairs of lines with one id that were not known before. */
  indexIds(): Repetition[] {
    const repetitions: Repetition[] = [];
    if (this.#indexed === this.#olderLengths.length) return repetitions;
    this.#ids.makeRoom((this.#indexed === 0 ? 0 : this.#heads.startOf(this.#indexed - 1)) - this.#heads.first);
    for (; this.#indexed < this.#olderLengths.length; this.#indexed++) {
      const start = this.#heads.startOf(this.#indexed);
      const { length } = this.#olderLengths[this.#indexed] as readonly number[];
      for (let line = start + length - 1; line >= start; line--) {
        const last = this.#ids.insert(line, this.#heads.hashAt(line));
        if (last !== undefined) repetitions.push(this.#repetition(line, last));
      }
    }
    return repetitions;
  }

  #repetition(line: number, last: number): Repetition {
    const id = this.#heads.idAt(line);
    const later = this.#first.get(id) ?? last;
    this.#earlier.set(later, line);
    this.#first.set(id, line);
    return { line: this.#line(line), repeatedBy: this.#line(later) };
  }

  get last(): TableLine | undefined {
    return this.#lengths.length === 0 ? undefined : this.#line(this.#lengths.length - 1);
  }

  /** The last line of an id, of those whose ids were looked at. */
  of(id: string): TableLine | undefined {
    const line = this.#ids.get(id);
    return line === undefined ? undefined : this.#line(line);
  }

  /** All such lines of an id, the last first. */
  *allOf(id: string): Generator<TableLine> {
    for (let line = this.#ids.get(id); line !== undefined; line = this.#earlier.get(line)) yield this.#line(line);
  }

  at(position: Position): TableLine | undefined {
    const ordinal = this.#ordinalAt(position);
    return ordinal === undefined ? undefined : this.#line(ordinal);
  }

  /** Where the lines of records stand, newlines included; those that stand one behind the other as one range. */
  rangesOf(runs: readonly RecordRun[]): readonly ByteRange[] {
    const ranges: { start: number; length: number }[] = [];
    let range = { start: 0, length: 0 };
    for (const { first, last } of runs) {
      const end = this.#required(last);
      for (let line = this.#required(first); line <= end; line++) {
        const start = this.#heads.positionAt(line);
        if (range.start + range.length !== start) {
          range = { start, length: 0 };
          ranges.push(range);
        }
        range.length += this.#lengthOf(line) + 1;
      }
    }
    return ranges;
  }

  #required(position: Position): number {
    const ordinal = this.#ordinalAt(position);
    if (ordinal === undefined) throw new RangeError(`no entry at position ${position}`);
    return ordinal;
  }

  #ordinalAt(position: Position): number | undefined {
    let low = this.#heads.first;
    let high = this.#heads.end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#heads.positionAt(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low < this.#heads.end && this.#heads.positionAt(low) === position ? low : undefined;
  }

  #line(ordinal: number): TableLine {
    return { head: this.#heads.at(ordinal), length: this.#lengthOf(ordinal) };
  }

  #lengthOf(ordinal: number): number {
    const stretch = this.#heads.stretchOf(ordinal);
    if (stretch === -1) return this.#lengths[ordinal] as number;
    return this.#olderLengths[stretch]?.[ordinal - this.#heads.startOf(stretch)] as number;
  }
}
