import type { EntryHead, Position } from "./head.ts";
import { idHash } from "./id-hash.ts";

/** Heads in log order, which may be kept in another form and made when they are asked for. Indexes begin with 0. */
export interface Heads extends Iterable<EntryHead> {
  readonly length: number;
  at(index: number): EntryHead;
  /** As the head has it, without making it. */
  positionAt(index: number): Position;
  idAt(index: number): string;
  isIdAt(index: number, id: string): boolean;
  typeAt(index: number): string;
  /** Whether it is a message, and the child of a message right before it. */
  isChained(index: number): boolean;
  /** The `idHash` of its id. */
  hashAt(index: number): number;
  /** The indexes of those that are no messages, in order. */
  others(): Iterable<number>;
}

/** Heads that are there, and more behind them. */
export class HeadList implements Heads {
  readonly #heads: EntryHead[];

  /** Keeps the array itself, which `push` adds to. */
  constructor(heads: EntryHead[] = []) {
    this.#heads = heads;
  }

  get length(): number {
    return this.#heads.length;
  }

  push(head: EntryHead): void {
    this.#heads.push(head);
  }

  at(index: number): EntryHead {
    return this.#heads[index] as EntryHead;
  }

  positionAt(index: number): Position {
    return this.at(index).position;
  }

  idAt(index: number): string {
    return this.at(index).id;
  }

  isIdAt(index: number, id: string): boolean {
    return this.at(index).id === id;
  }

  typeAt(index: number): string {
    return this.at(index).type;
  }

  isChained(index: number): boolean {
    const before = this.#heads[index - 1];
    if (before?.type !== "message" || this.typeAt(index) !== "message") return false;
    return this.at(index).parentId === before.id;
  }

  hashAt(index: number): number {
    return idHash(this.at(index).id);
  }

  *others(): Generator<number, void> {
    for (let index = 0; index < this.length; index++) if (this.typeAt(index) !== "message") yield index;
  }

  [Symbol.iterator](): Iterator<EntryHead> {
    return this.#heads[Symbol.iterator]();
  }
}
