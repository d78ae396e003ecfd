import type { SessionTreeEntry } from "../../entry/entry.ts";
import { headOf, type Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import type { Appended, LogChange, RecordBatch, SyncEntryLog } from "../../session/entry-log.ts";
import { closedSession } from "../../session/missing.ts";
import type { MemoryRecords } from "./memory-records.ts";

/** A log that lives as long as its records do. Nothing survives the process, so `sync` has nothing to do. */
export class MemoryLog implements SyncEntryLog {
  readonly #records: MemoryRecords;
  #generation: number;
  #handedOut = 0;
  #closed = false;

  constructor(records: MemoryRecords) {
    this.#records = records;
    this.#generation = records.generation;
  }

  get header(): SessionHeader {
    return this.#records.header;
  }

  changes(): LogChange {
    this.#assertOpen();
    this.#records.assertPresent();
    return this.#nextChange();
  }

  read(positions: readonly Position[]): readonly SessionTreeEntry[] {
    this.#assertOpen();
    return positions.map((position) => {
      const entry = this.#records.at(position);
      if (!entry) throw new RangeError(`no entry at position ${position}`);
      return entry;
    });
  }

  append(batches: readonly RecordBatch[]): Appended {
    this.#assertOpen();
    this.#records.assertPresent();
    for (const batch of batches) this.#records.add(batch);
    return { outcomes: batches.map(() => ({ status: "stored" })), change: this.#nextChange() };
  }

  async sync(): Promise<void> {
    this.syncNow();
  }

  syncNow(): void {
    this.#assertOpen();
  }

  close(): void {
    this.#closed = true;
  }

  #nextChange(): LogChange {
    const replaced = this.#generation !== this.#records.generation;
    const start = replaced ? 0 : this.#handedOut;
    const heads = this.#records.from(start).map((entry, index) => headOf(entry, start + index));
    this.#generation = this.#records.generation;
    this.#handedOut = this.#records.size;
    return { kind: replaced ? "replaced" : "grown", heads, diagnostics: [] };
  }

  #assertOpen(): void {
    if (this.#closed) throw closedSession(this.header.id);
  }
}
