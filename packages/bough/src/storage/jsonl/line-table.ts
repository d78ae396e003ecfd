import type { EntryHead, Position } from "../../entry/head.ts";

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
  /** The last one of the file comes first; it is the one that grows. */
  readonly #stretches: TableStretch[] = [new TableStretch()];
  /** Of so many stretches the ids were looked at. */
  #indexed = 1;
  /** Of the last line of each id. */
  readonly #positions = new Map<string, Position>();
  /** From the line of a repeated id to the one before it. */
  readonly #earlier = new Map<Position, Position>();
  /** Of the first line known, for ids that are repeated. */
  readonly #first = new Map<string, Position>();

  /** Takes in the line behind all others. Returns whether the id was known before; the last line of an id counts. */
  add(line: TableLine): boolean {
    const { id, position } = line.head;
    const earlier = this.#positions.get(id);
    this.#positions.set(id, position);
    this.#stretches[0]?.push(line);
    if (earlier === undefined) return false;
    this.#earlier.set(position, earlier);
    if (!this.#first.has(id)) this.#first.set(id, earlier);
    return true;
  }

  /** Takes in lines in front of all others, in file order. Their ids are not looked at before `indexIds`. */
  addBefore(heads: EntryHead[], lengths: number[]): void {
    if (heads.length > 0) this.#stretches.push(new TableStretch(heads, lengths));
  }

  /** Looks at the ids of all lines taken in. Returns pairs of lines with one id that were not known before. */
  indexIds(): Repetition[] {
    const repetitions: Repetition[] = [];
    for (; this.#indexed < this.#stretches.length; this.#indexed++) {
      repetitions.push(...this.#indexIdsOf(this.#stretches[this.#indexed] as TableStretch));
    }
    return repetitions;
  }

  #indexIdsOf(stretch: TableStretch): Repetition[] {
    const repetitions: Repetition[] = [];
    for (const line of stretch.backwards()) {
      const { head } = line;
      const later = this.#first.get(head.id) ?? this.#positions.get(head.id);
      if (later === undefined) {
        this.#positions.set(head.id, head.position);
        continue;
      }
      this.#earlier.set(later, head.position);
      this.#first.set(head.id, head.position);
      repetitions.push({ line, repeatedBy: this.at(later) as TableLine });
    }
    return repetitions;
  }

  get last(): TableLine | undefined {
    return this.#stretches[0]?.last;
  }

  /** The last line of an id, of those whose ids were looked at. */
  of(id: string): TableLine | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.at(position);
  }

  /** All such lines of an id, the last first. */
  *allOf(id: string): Generator<TableLine> {
    for (let at = this.#positions.get(id); at !== undefined; at = this.#earlier.get(at)) yield this.at(at) as TableLine;
  }

  at(position: Position): TableLine | undefined {
    return this.#stretchOf(position)?.at(position);
  }

  #stretchOf(position: Position): TableStretch | undefined {
    const [newest] = this.#stretches;
    if (newest && newest.start <= position) return newest;
    let low = 1;
    let high = this.#stretches.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#stretches[middle] as TableStretch).start <= position) high = middle;
      else low = middle + 1;
    }
    return this.#stretches[low];
  }
}

/** Lines in file order. */
class TableStretch {
  readonly #heads: EntryHead[];
  readonly #lengths: number[];

  /** Keeps the arrays themselves. */
  constructor(heads: EntryHead[] = [], lengths: number[] = []) {
    this.#heads = heads;
    this.#lengths = lengths;
  }

  /** Where the first line begins; of an empty stretch beyond any. */
  get start(): Position {
    return this.#heads[0]?.position ?? Number.POSITIVE_INFINITY;
  }

  get last(): TableLine | undefined {
    return this.#line(this.#heads.length - 1);
  }

  push({ head, length }: TableLine): void {
    this.#heads.push(head);
    this.#lengths.push(length);
  }

  *backwards(): Generator<TableLine> {
    for (let index = this.#heads.length - 1; index >= 0; index--) yield this.#line(index) as TableLine;
  }

  at(position: Position): TableLine | undefined {
    const index = this.#indexOf(position);
    return this.#heads[index]?.position === position ? this.#line(index) : undefined;
  }

  #indexOf(position: Position): number {
    let low = 0;
    let high = this.#heads.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#heads[middle] as EntryHead).position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #line(index: number): TableLine | undefined {
    const head = this.#heads[index];
    return head && { head, length: this.#lengths[index] as number };
  }
}
