import type { EntryHead, Position } from "../entry/head.ts";
import { HeadStretches } from "../entry/head-stretches.ts";
import { HeadList, type Heads } from "../entry/heads.ts";
import { idHash } from "../entry/id-hash.ts";
import { IdIndex } from "../entry/id-index.ts";

/**
 * The heads of a log by id and in log order; of several with one id the last counts and takes that place in the order.
 * Each has an ordinal (see `HeadStretches`). Heads are made when asked for, so nobody may rely on getting the same object.
 */
export class HeadStore {
  readonly #heads = new HeadStretches();
  readonly #ids = new IdIndex(this.#heads);
  /** Of so many stretches put before, the ids are in it. */
  #indexed = 0;
  /** Most often what came last is looked for, or what stands before what was found last: its parent. */
  #foundLast = 0;
  /** Ordinals whose ids stand for later ones. */
  readonly #superseded = new Set<number>();
  /** What took the place of `unread` heads. */
  readonly #corrected = new Map<number, EntryHead>();
  /** All there were; `message` may be left out. */
  readonly #types = new Set<string>();

  get size(): number {
    this.#indexOlder();
    return this.#ids.size;
  }

  /** The lowest ordinal. */
  get first(): number {
    return this.#heads.first;
  }

  /** Beyond the highest ordinal. */
  get end(): number {
    return this.#heads.end;
  }

  /** Takes a head in behind all others. Returns the one whose place it takes. */
  add(head: EntryHead): EntryHead | undefined {
    const ordinal = this.#heads.add(head);
    this.#types.add(head.type);
    const hash = idHash(head.id);
    this.#indexOlder();
    const known = this.#ids.insert(ordinal, hash);
    if (known === undefined) return undefined;
    const replaced = this.at(known);
    this.#ids.replace(ordinal, hash);
    this.#superseded.add(known);
    this.#corrected.delete(known);
    return replaced;
  }

  /** Takes heads in, in log order, before all others. */
  addBefore(stretch: readonly EntryHead[] | Heads): void {
    const heads = isArray(stretch) ? new HeadList([...stretch]) : stretch;
    this.#heads.addBefore(heads);
    for (const index of heads.others()) this.#types.add(heads.typeAt(index));
  }

  /** Puts a head that was read whole in the place of its `unread` one, which is returned if there is one. */
  correct(head: EntryHead): EntryHead | undefined {
    const ordinal = this.ordinalOf(head.id);
    if (ordinal === undefined) return undefined;
    const known = this.at(ordinal);
    this.#types.add(head.type);
    this.#corrected.set(ordinal, head);
    return known;
  }

  has(id: string): boolean {
    return this.ordinalOf(id) !== undefined;
  }

  get(id: string): EntryHead | undefined {
    const ordinal = this.ordinalOf(id);
    return ordinal === undefined ? undefined : this.at(ordinal);
  }

  /** What a stored body names may be no id at all; then nothing is there. */
  ordinalOf(id: string): number | undefined {
    if (typeof id !== "string") return undefined;
    const last = this.end - 1;
    if (last >= 0 && this.#heads.isIdAt(last, id)) return this.#found(last);
    this.#indexOlder();
    const above = this.#foundLast - 1;
    if (above >= this.first && !this.isSuperseded(above) && this.#heads.isIdAt(above, id)) return this.#found(above);
    const ordinal = this.#ids.get(id);
    return ordinal === undefined ? undefined : this.#found(ordinal);
  }

  #found(ordinal: number): number {
    this.#foundLast = ordinal;
    return ordinal;
  }

  at(ordinal: number): EntryHead {
    return this.#correctedAt(ordinal) ?? this.#heads.at(ordinal);
  }

  idAt(ordinal: number): string {
    return this.#heads.idAt(ordinal);
  }

  positionAt(ordinal: number): Position {
    return this.#heads.positionAt(ordinal);
  }

  /** Whether it is a message, and the child of a message right before it; false is no more than likely. */
  isChained(ordinal: number): boolean {
    return this.#heads.isChained(ordinal) && !this.#isOutOfLine(ordinal) && !this.#isOutOfLine(ordinal - 1);
  }

  /** Where the row of messages begins that a head ends, each the child of the one right before it. */
  chainStart(ordinal: number): number {
    let start = ordinal;
    while (this.isChained(start)) start--;
    return start;
  }

  #isOutOfLine(ordinal: number): boolean {
    return this.isSuperseded(ordinal) || this.#correctedAt(ordinal) !== undefined;
  }

  /** Whether a later head with its id took its place. */
  isSuperseded(ordinal: number): boolean {
    return this.#superseded.size > 0 && this.#superseded.has(ordinal);
  }

  /** Those that count, in log order; those that come while they are walked are left out. */
  *heads(): IteratorObject<EntryHead, undefined> {
    const { end } = this;
    this.#indexOlder();
    for (const { heads, start } of this.#heads.stretches()) {
      const length = Math.min(heads.length, end - start);
      for (let index = 0; index < length; index++) {
        const ordinal = start + index;
        if (!this.isSuperseded(ordinal)) yield this.#correctedAt(ordinal) ?? heads.at(index);
      }
    }
  }

  /** Those that count behind the one with an id, in log order. */
  *headsBehind(id: string): IteratorObject<EntryHead, undefined> {
    const { end } = this;
    const ordinal = this.ordinalOf(id) ?? end;
    for (let next = ordinal + 1; next < end; next++) if (!this.isSuperseded(next)) yield this.at(next);
  }

  /** The ordinals of those that count, in log order; of messages in a row only the last one's. */
  *withoutRuns(): Generator<number, void> {
    this.#indexOlder();
    for (const { heads, start } of this.#heads.stretches()) {
      let done = start;
      for (const index of this.#othersIn(heads, start)) {
        yield* this.#lastOf(done, start + index);
        yield* this.#lastOf(start + index, start + index + 1);
        done = start + index + 1;
      }
      yield* this.#lastOf(done, start + heads.length);
    }
  }

  /** What took the place of a message may be none. */
  #othersIn(heads: Heads, start: number): Iterable<number> {
    if (this.#corrected.size === 0) return heads.others();
    const indexes = Array.from({ length: heads.length }, (_, index) => index);
    return indexes.filter((index) => this.#corrected.has(start + index) || heads.typeAt(index) !== "message");
  }

  /** The last that counts of those from `from` to before `to`, if one does. */
  #lastOf(from: number, to: number): readonly number[] {
    for (let ordinal = to - 1; ordinal >= from; ordinal--) if (!this.isSuperseded(ordinal)) return [ordinal];
    return [];
  }

  /** Whether there ever was a head of a type, messages left out. */
  holdsType(type: string): boolean {
    return this.#types.has(type);
  }

  #correctedAt(ordinal: number): EntryHead | undefined {
    return this.#corrected.size === 0 ? undefined : this.#corrected.get(ordinal);
  }

  #indexOlder(): void {
    if (this.#indexed === this.#heads.older) return;
    this.#ids.makeRoom((this.#indexed === 0 ? 0 : this.#heads.startOf(this.#indexed - 1)) - this.first);
    for (; this.#indexed < this.#heads.older; this.#indexed++) {
      const { heads, start } = this.#heads.olderAt(this.#indexed);
      for (let index = heads.length - 1; index >= 0; index--) {
        if (this.#ids.insert(start + index, heads.hashAt(index)) !== undefined) this.#superseded.add(start + index);
      }
    }
  }
}

function isArray(heads: readonly EntryHead[] | Heads): heads is readonly EntryHead[] {
  return Array.isArray(heads);
}
