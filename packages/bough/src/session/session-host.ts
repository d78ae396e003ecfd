import type { EntryHead } from "../entry/head.ts";
import { SessionError } from "../errors.ts";
import type { AppendRequest, AppendResult, StoredRequest } from "./append-request.ts";
import type { Arrival } from "./arrival.ts";
import { asyncLog, syncLogOf } from "./async-log.ts";
import { type Durability, durabilityOf, isSynced } from "./durability.ts";
import { type EntryFactory, systemFactory } from "./entry-factory.ts";
import type { EntryLog, SyncEntryLog } from "./entry-log.ts";
import { closedSession } from "./missing.ts";
import { type Program, run, runSync } from "./program.ts";
import { SessionState } from "./session-state.ts";

export interface HostOptions {
  /** `turn` unless said otherwise. */
  readonly durability?: Durability;
  readonly factory?: EntryFactory;
}

/**
 * The one owner of an open log in this process, shared by every `Session` on it. It takes appends in call order, writes
 * together what has queued up, and acknowledges in the order of the file: an entry that is written and not yet as
 * durable as promised is already a parent and not yet readable.
 */
export class SessionHost {
  readonly state: SessionState;
  readonly durability: Durability;
  readonly #log: EntryLog;
  readonly #arrivals: Arrivals;
  readonly #queue: Job[] = [];
  #draining: Promise<void> | undefined;
  #acknowledging: Promise<void> = Promise.resolve();
  #holders = 0;
  #closing: Promise<void> | undefined;

  private constructor(log: EntryLog, options: HostOptions) {
    this.#log = log;
    this.durability = durabilityOf(options.durability);
    this.#arrivals = new Arrivals(this.durability !== "process");
    this.state = new SessionState(log, options.factory ?? systemFactory);
  }

  static async open(log: EntryLog, options: HostOptions = {}): Promise<SessionHost> {
    const host = new SessionHost(log, options);
    await run(host.state.refresh(), log);
    return host;
  }

  static openSync(log: SyncEntryLog, options: HostOptions = {}): SessionHost {
    const host = new SessionHost(asyncLog(log), options);
    runSync(host.state.refresh(), log);
    return host;
  }

  get id(): string {
    return this.state.header.id;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Whether readers may see an entry. */
  isReadable(id: string): boolean {
    return !this.#arrivals.isHeld(id);
  }

  /** Resolves with the stored ids once they are as durable as this session promises. */
  append(request: AppendRequest): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#requireOpen();
      this.#queue.push({ request, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Runs a program that reads. */
  async read<T>(program: Program<T>): Promise<T> {
    this.#requireOpen();
    return await run(program, this.#log);
  }

  /** As `read`, at once. Throws `invalid_state` over a log whose I/O is not synchronous. */
  readSync<T>(program: Program<T>): T {
    this.#requireOpen();
    const sync = syncLogOf(this.#log);
    if (sync) return runSync(program, sync);
    const reason = "its storage can't be read synchronously";
    throw new SessionError("invalid_state", `session ${this.id}: ${reason}`, { reason });
  }

  /** Looks what others wrote; waits for appends under way, so that entries arrive in log order. */
  async refresh(): Promise<void> {
    this.#requireOpen();
    await this.#draining;
    const heads = await run(this.state.refresh(), this.#log);
    this.#arrivals.add({ heads, isOwn: () => false, requested: false });
  }

  /** What others wrote since this host opened the log, in log order. */
  get foreign(): readonly EntryHead[] {
    return this.#arrivals.foreign;
  }

  /** Hears of entries in log order as they become readable, own ones included. Returns how to stop. */
  listen(listener: Listener): () => void {
    return this.#arrivals.listen(listener);
  }

  /** Resolves when everything appended before would survive a power loss. */
  async flush(): Promise<void> {
    this.#requireOpen();
    await this.#draining;
    await this.#acknowledging;
    await this.#log.sync();
  }

  retain(): this {
    this.#holders++;
    return this;
  }

  /** The last holder's release closes the host. */
  async release(): Promise<void> {
    this.#holders--;
    if (this.#holders <= 0) await this.close();
  }

  /** Closes the log, after what is under way has been acknowledged. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#draining;
    await this.#acknowledging;
    await this.#log.close();
  }

  #requireOpen(): void {
    if (this.isClosed) throw closedSession(this.id);
  }

  async #drain(): Promise<void> {
    // What else is asked for in this turn is written together with it.
    await undefined;
    while (this.#queue.length > 0) {
      const jobs = this.#queue.splice(0);
      const requests = jobs.map((job) => job.request);
      try {
        const sync = syncLogOf(this.#log);
        const results = sync
          ? this.state.commitSync(requests, this.#observe, sync)
          : await run(this.state.commit(requests, this.#observe), this.#log);
        this.#settle(jobs, results);
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    this.#draining = undefined;
  }

  readonly #observe = (arrival: Arrival): void => this.#arrivals.add(arrival);

  #settle(jobs: readonly Job[], results: readonly AppendResult[]): void {
    const stored: Acknowledgement[] = [];
    let needsSync = false;
    for (let index = 0; index < results.length; index++) {
      const result = results[index] as AppendResult;
      const job = jobs[index] as Job;
      if (result.status === "failed") {
        this.#arrivals.release(result.ids);
        job.reject(result.error);
        continue;
      }
      const isWaiting =
        this.durability !== "process" && result.written.some(({ head }) => isSynced(head, this.durability));
      needsSync ||= isWaiting;
      stored.push({ job, result, isWaiting });
    }
    if (!needsSync && !this.#arrivals.holdsOthersThan(stored)) this.#acknowledge(stored);
    else this.#acknowledging = this.#acknowledgeAfter(this.#acknowledging, stored, needsSync);
  }

  async #acknowledgeAfter(
    before: Promise<void>,
    stored: readonly Acknowledgement[],
    needsSync: boolean,
  ): Promise<void> {
    await before;
    try {
      if (needsSync) await this.#log.sync();
      this.#acknowledge(stored);
    } catch (error) {
      this.#acknowledge(stored, error);
    }
  }

  /** With `uncertain`, entries that were to be synced are rejected with it. Either way all are in the log and readable. */
  #acknowledge(stored: readonly Acknowledgement[], uncertain?: unknown): void {
    if (this.#arrivals.areHeld) this.#arrivals.release(stored.flatMap(({ result }) => result.ids));
    for (const { job, result, isWaiting } of stored) {
      if (isWaiting && uncertain !== undefined) {
        job.reject(uncertain);
        continue;
      }
      if (result.step) result.step.cursor.leaf = result.step.to;
      job.resolve(result.ids);
    }
  }
}

export type Listener = (heads: readonly EntryHead[]) => void;

interface Job {
  readonly request: AppendRequest;
  readonly resolve: (ids: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Acknowledgement {
  readonly job: Job;
  readonly result: StoredRequest;
  /** Promised to survive more than this process. */
  readonly isWaiting: boolean;
}

/** Entries on their way to readers: in log order, none before those in front of it. */
class Arrivals {
  readonly foreign: EntryHead[] = [];
  readonly #holds: boolean;
  /** Own entries until they are acknowledged. */
  readonly #held = new Set<string>();
  readonly #listeners = new Set<Listener>();
  #queue: EntryHead[] = [];

  /** `holds`: whether what is written is readable only later. */
  constructor(holds: boolean) {
    this.#holds = holds;
  }

  isHeld(id: string): boolean {
    return this.#held.has(id);
  }

  /** Whether any entry is. */
  get areHeld(): boolean {
    return this.#held.size > 0;
  }

  holdsOthersThan(stored: readonly Acknowledgement[]): boolean {
    return this.areHeld && this.#held.size > stored.reduce((count, { result }) => count + result.written.length, 0);
  }

  add({ heads, isOwn, requested }: Arrival): void {
    for (const head of heads) {
      if (!isOwn(head.id)) this.foreign.push(head);
      else if (requested && this.#holds) this.#held.add(head.id);
      if (this.#listeners.size > 0) this.#queue.push(head);
    }
    this.#deliver();
  }

  release(ids: readonly string[]): void {
    for (const id of ids) this.#held.delete(id);
    this.#deliver();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #deliver(): void {
    if (this.#queue.length === 0) return;
    let ready = this.#queue.findIndex((head) => this.#held.has(head.id));
    if (ready === -1) ready = this.#queue.length;
    if (ready === 0) return;
    const heads = this.#queue.splice(0, ready);
    for (const listener of this.#listeners) listener(heads);
  }
}
