import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { asyncLog } from "../../session/async-log.ts";
import { isSpelledAlike } from "../../session/cwd-spelling.ts";
import { matchSession } from "../../session/match-session.ts";
import { noSession, sessionExists } from "../../session/missing.ts";
import type {
  ListOptions,
  RecordSource,
  SessionInfo,
  SessionListing,
  SessionRef,
  SessionStore,
  StoredSession,
} from "../../session/session-store.ts";
import { SummaryFold } from "../../session/summary-fold.ts";
import { MemoryLog } from "./memory-log.ts";
import { MemoryRecords } from "./memory-records.ts";

/** Sessions that live as long as this object does. */
export class MemoryStore implements SessionStore {
  readonly #sessions = new Map<string, MemoryRecords>();
  /** In the order they were deleted in. */
  #trash: readonly MemoryRecords[] = [];

  async create(header: SessionHeader, records: RecordSource): Promise<StoredSession> {
    const entries: SessionTreeEntry[] = [];
    for await (const batch of records) for (const { json } of batch) entries.push(jsonValue(json) as SessionTreeEntry);
    return this.add(new MemoryRecords(header, entries));
  }

  vacancyAt(): undefined {
    return undefined;
  }

  /** Takes in records made elsewhere. Throws `already_exists`. */
  add(records: MemoryRecords): StoredSession {
    const { id } = records.header;
    if (this.#sessions.has(id)) throw sessionExists(id);
    this.#sessions.set(id, records);
    return { ref: { id }, log: asyncLog(new MemoryLog(records)) };
  }

  async open(ref: SessionRef): Promise<StoredSession> {
    const records = this.#sessions.get(ref.id);
    if (!records) throw noSession(ref.id);
    return { ref, log: asyncLog(new MemoryLog(records)) };
  }

  async resolve(query: string): Promise<SessionRef> {
    if (this.#sessions.has(query)) return { id: query };
    return { id: matchSession(query, [...this.#sessions.values()].map(infoOf)).id };
  }

  async *list({ cwd, trash, signal, onProgress }: ListOptions = {}): AsyncGenerator<SessionListing, void> {
    const all = trash ? this.#trash : [...this.#sessions.values()];
    for (const [index, records] of all.entries()) {
      signal?.throwIfAborted();
      if (cwd === undefined || isSpelledAlike(records.header.cwd, cwd)) yield infoOf(records);
      onProgress?.(index + 1, all.length);
    }
  }

  async remove({ id }: SessionRef): Promise<void> {
    const records = this.#sessions.get(id);
    if (!records) return;
    records.delete();
    this.#sessions.delete(id);
    this.#trash = [...this.#trash, records];
  }

  async restore(id: string): Promise<SessionRef> {
    const records = this.#trash.findLast(({ header }) => header.id === id);
    if (!records) throw noSession(id);
    if (this.#sessions.has(id)) throw sessionExists(id);
    this.#trash = this.#trash.filter((other) => other !== records);
    this.#sessions.set(id, new MemoryRecords(records.header, records.from(0)));
    return { id };
  }

  async purge(id?: string): Promise<number> {
    const kept = this.#trash.filter(({ header }) => id !== undefined && header.id !== id);
    const purged = this.#trash.length - kept.length;
    this.#trash = kept;
    return purged;
  }
}

function infoOf(records: MemoryRecords): SessionInfo {
  const fold = new SummaryFold(records.header);
  for (const entry of records.from(0)) fold.add(entry);
  return fold.info();
}
