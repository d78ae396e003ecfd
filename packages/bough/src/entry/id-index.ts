import { idHash } from "./id-hash.ts";

/** Where the index looks which id an ordinal stands for. */
export interface NumberedIds {
  idAt(ordinal: number): string;
  isIdAt(ordinal: number, id: string): boolean;
}

const smallest = 64;
const empty = 0;

/**
 * Ordinals by the ids they stand for, a number each and no string: a table of pairs, the ordinal and the hash of its id,
 * in which a place that is taken sends on to the next.
 */
export class IdIndex {
  readonly #ids: NumberedIds;
  #pairs = new Int32Array(2 * smallest);
  #size = 0;

  constructor(ids: NumberedIds) {
    this.#ids = ids;
  }

  get size(): number {
    return this.#size;
  }

  get(id: string): number | undefined {
    const place = this.#placeOf(idHash(id), id);
    const stored = this.#pairs[place] as number;
    return stored === empty ? undefined : ordinalOf(stored);
  }

  /** Takes in an ordinal whose id has the hash. Returns, and leaves, the one that stands for this id already. */
  insert(ordinal: number, hash: number): number | undefined {
    const place = this.#placeOf(hash, undefined, ordinal);
    const stored = this.#pairs[place] as number;
    if (stored !== empty) return ordinalOf(stored);
    this.#put(place, ordinal, hash);
    this.#size++;
    this.makeRoom(0);
    return undefined;
  }

  /** For so many that are about to come. */
  makeRoom(count: number): void {
    let room = this.#pairs.length;
    while (8 * (this.#size + count) > 3 * room) room *= 2;
    if (room > this.#pairs.length) this.#grow(room);
  }

  /** Lets `ordinal` stand for its id in the place of another that was taken in. */
  replace(ordinal: number, hash: number): void {
    this.#put(this.#placeOf(hash, undefined, ordinal), ordinal, hash);
  }

  #put(place: number, ordinal: number, hash: number): void {
    this.#pairs[place] = ordinal < 0 ? ordinal : ordinal + 1;
    this.#pairs[place + 1] = hash;
  }

  /** Where an id stands or belongs: the one given, or that of an ordinal, which is made only to be compared. */
  #placeOf(hash: number, id: string | undefined, ordinal = 0): number {
    const pairs = this.#pairs;
    const last = pairs.length - 1;
    for (let place = (2 * hash) & last; ; place = (place + 2) & last) {
      const stored = pairs[place] as number;
      if (stored === empty) return place;
      if (pairs[place + 1] !== hash) continue;
      if (this.#ids.isIdAt(ordinalOf(stored), id ?? this.#ids.idAt(ordinal))) return place;
    }
  }

  #grow(room: number): void {
    const before = this.#pairs;
    const pairs = new Int32Array(room);
    const last = pairs.length - 1;
    for (let from = 0; from < before.length; from += 2) {
      if (before[from] === empty) continue;
      let place = (2 * (before[from + 1] as number)) & last;
      while (pairs[place] !== empty) place = (place + 2) & last;
      pairs[place] = before[from] as number;
      pairs[place + 1] = before[from + 1] as number;
    }
    this.#pairs = pairs;
  }
}

/** As stored, nothing is 0: what isn't negative is one more. */
function ordinalOf(stored: number): number {
  return stored < 0 ? stored : stored - 1;
}
