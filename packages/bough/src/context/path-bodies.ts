import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import type { Ascent } from "../tree/path.ts";

/** Asks a log for bodies; `read` of a session's programs is one. */
export type BodyReader<Request> = (
  positions: readonly Position[],
) => Generator<Request, readonly SessionTreeEntry[], unknown>;

/** Steps above the leaf, `to` excluded. Where a path is shorter the range ends with it. */
export interface Steps {
  readonly from: number;
  readonly to: number;
}

export const fromLeaf: Steps = { from: 0, to: Number.POSITIVE_INFINITY };

/** What is looked for on a path: a head can promise it, a body holds it. */
export interface Wanted {
  readonly head: (head: EntryHead) => boolean;
  readonly body: (entry: SessionTreeEntry) => boolean;
}

export function stepWhere(
  path: Ascent,
  { from, to }: Steps,
  matches: (head: EntryHead) => boolean,
): number | undefined {
  for (let step = from; step < to; step++) {
    const head = path.at(step);
    if (head === undefined) return undefined;
    if (matches(head)) return step;
  }
  return undefined;
}

export function* stepsOf(path: Ascent, { from, to }: Steps): Iterable<number> {
  for (let step = from; step < to && path.at(step) !== undefined; step++) yield step;
}

/** The bodies of a path read so far, by their steps above the leaf, as far as these are on it. None is read twice. */
export class PathBodies<Request> {
  readonly #path: Ascent;
  readonly #read: BodyReader<Request>;
  readonly #bodies = new Map<number, SessionTreeEntry>();

  constructor(path: Ascent, read: BodyReader<Request>) {
    this.#path = path;
    this.#read = read;
  }

  get(step: number): SessionTreeEntry | undefined {
    return this.#path.at(step) && this.#bodies.get(step);
  }

  /** Whether a body read so far holds what is wanted. */
  some(holds: Wanted["body"], { from, to }: Steps): boolean {
    return this.#there().some(([step, entry]) => step >= from && step < to && holds(entry));
  }

  inPathOrder(): readonly SessionTreeEntry[] {
    return Array.from(this.#there())
      .sort(([a], [b]) => b - a)
      .map(([, entry]) => entry);
  }

  *fetch(steps: Iterable<number>): Generator<Request, void, unknown> {
    const missing = [...new Set(steps)].filter((step) => !this.#bodies.has(step)).sort((a, b) => b - a);
    const there = missing.filter((step) => this.#path.at(step) !== undefined);
    if (there.length === 0) return;
    const entries = yield* this.#read(there.map((step) => (this.#path.at(step) as EntryHead).position));
    for (const [order, step] of there.entries()) this.#bodies.set(step, entries[order] as SessionTreeEntry);
  }

  #holds(step: number, holds: Wanted["body"]): boolean {
    const body = this.get(step);
    return body !== undefined && holds(body);
  }

  #there(): IteratorObject<[step: number, entry: SessionTreeEntry]> {
    return this.#bodies.entries().filter(([step]) => this.#path.at(step) !== undefined);
  }

  /** The lowest step of a range whose head promises what is wanted and whose body holds it. */
  *newest({ head: promises, body: holds }: Wanted, range: Steps): Generator<Request, number | undefined, unknown> {
    let size = 1;
    let next = stepWhere(this.#path, range, promises);
    while (next !== undefined) {
      const batch: number[] = [];
      while (next !== undefined && batch.push(next) < size) {
        next = stepWhere(this.#path, { from: next + 1, to: range.to }, promises);
      }
      yield* this.fetch(batch);
      const found = batch.find((step) => this.#holds(step, holds));
      if (found !== undefined) return found;
      const last: number = batch.at(-1) as number;
      next = stepWhere(this.#path, { from: last + 1, to: range.to }, promises);
      size *= 2;
    }
    return undefined;
  }
}
