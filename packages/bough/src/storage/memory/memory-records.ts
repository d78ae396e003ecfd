import type { SessionTreeEntry } from "../../entry/entry.ts";
import { frozen } from "../../entry/frozen.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { jsonCopy } from "../../entry/json.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { SessionError } from "../../errors.ts";
import type { RecordBatch } from "../../session/entry-log.ts";

/** The records of one session in memory. Several `MemoryLog`s over the same records behave as processes on one file do. */
export class MemoryRecords {
  readonly header: SessionHeader;
  #entries: SessionTreeEntry[] = [];
  #generation = 0;
  #deleted = false;

  constructor(header: SessionHeader, entries: readonly SessionTreeEntry[] = []) {
    this.header = jsonCopy(header);
    this.replace(entries);
  }

  /** Goes up when the records were exchanged, which voids positions. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.#entries.length;
  }

  at(position: number): SessionTreeEntry | undefined {
    return this.#entries[position];
  }

  from(position: number): readonly SessionTreeEntry[] {
    return this.#entries.slice(position);
  }

  add(batch: RecordBatch): void {
    for (const { json } of batch) this.#entries.push(frozen(jsonValue(json) as SessionTreeEntry));
  }

  /** Exchanges all entries, as a program does that writes the whole session anew. */
  replace(entries: readonly SessionTreeEntry[]): void {
    this.#entries = entries.map(jsonCopy);
    this.#generation++;
  }

  /** Open logs can still read; everything else rejects with `session_deleted`. */
  delete(): void {
    this.#deleted = true;
  }

  assertPresent(): void {
    if (!this.#deleted) return;
    throw new SessionError("session_deleted", `session ${this.header.id} was deleted`, { id: this.header.id });
  }
}
