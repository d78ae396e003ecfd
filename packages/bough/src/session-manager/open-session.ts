import type { AppendRequest, Cursor } from "../session/append-request.ts";
import { type Durability, durabilityOf, isSynced } from "../session/durability.ts";
import { type EntryFactory, systemFactory } from "../session/entry-factory.ts";
import type { SyncEntryLog } from "../session/entry-log.ts";
import { closedSession } from "../session/missing.ts";
import { type Program, runSync } from "../session/program.ts";
import { SessionState } from "../session/session-state.ts";

export interface OpenSessionOptions {
  readonly durability?: Durability;
  readonly factory?: EntryFactory;
}

/** What `SessionHost` is to `Session`, over a log whose I/O is synchronous: an append is stored when it returns. */
export class OpenSession {
  readonly state: SessionState;
  readonly cursor: Cursor;
  readonly #log: SyncEntryLog;
  readonly #durability: Durability;
  #closing: Promise<void> | undefined;

  /** Closes `log` if it can't be read. */
  constructor(log: SyncEntryLog, { durability, factory = systemFactory }: OpenSessionOptions) {
    this.#log = log;
    this.#durability = durabilityOf(durability);
    this.state = new SessionState(log, factory);
    try {
      runSync(this.state.refresh(), log);
    } catch (error) {
      log.close();
      throw error;
    }
    const { leaf } = this.state;
    this.cursor = { leaf, tip: leaf };
  }

  /**
   * Returns the stored ids. What this session promises to sync is on its way to the disk then (`flush` awaits it), or,
   * at `power`, there.
   */
  append(request: AppendRequest): readonly string[] {
    this.requireOpen();
    const result = this.state.commitSync([request], nobody, this.#log)[0];
    if (result?.status !== "stored") throw result?.error;
    if (result.written.some(({ head }) => isSynced(head, this.#durability))) this.#sync();
    if (result.step) result.step.cursor.leaf = result.step.to;
    return result.ids;
  }

  read<T>(program: Program<T>): T {
    this.requireOpen();
    return runSync(program, this.#log);
  }

  /** Resolves when everything appended before would survive a power loss; rejects if that can't be reached. */
  async flush(): Promise<void> {
    if (this.#closing) await this.#closing;
    else await this.#log.sync();
  }

  /** Refuses calls from now on, and resolves when what it promised to sync is on the disk. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    try {
      if (this.#durability !== "process") await this.#log.sync();
    } finally {
      this.#log.close();
    }
  }

  #sync(): void {
    if (this.#durability === "power") this.#log.syncNow();
    // Whoever wants to know asks `flush`, which tries again.
    else this.#log.sync().catch(() => undefined);
  }

  /** Throws `closed`. */
  requireOpen(): void {
    if (this.#closing) throw closedSession(this.state.header.id);
  }
}

const nobody = (): undefined => undefined;
