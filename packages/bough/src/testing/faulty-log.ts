import type { Position } from "../entry/head.ts";
import { SessionError } from "../errors.ts";
import type {
  Appended,
  AppendOutcome,
  EntryLog,
  LogChange,
  LogView,
  OlderRecords,
  ReadUse,
  RecordBatch,
} from "../session/entry-log.ts";

/** What goes wrong, and at which occurrence: `nth` counts from 1, over calls of the verb or, for writes, over batches. */
export type LogFault =
  /** The call rejects and never reaches the log. `sticky` faults go on from then on. */
  | {
      readonly kind: "refused";
      readonly verb: "changes" | "read" | "append";
      readonly nth: number;
      readonly sticky?: boolean;
    }
  /** Of the batch only the first `stored` records arrive; the rest is known to be lost. */
  | { readonly kind: "short_write"; readonly nth: number; readonly stored: number }
  /** As a short write, with half a record left behind that is reported. */
  | { readonly kind: "torn_write"; readonly nth: number; readonly stored: number }
  /** The batch arrives whole, and the caller is told that nobody knows. */
  | { readonly kind: "unconfirmed"; readonly nth: number }
  | { readonly kind: "unsynced"; readonly nth: number; readonly sticky?: boolean };

type WriteFault = Extract<LogFault, { readonly kind: "short_write" | "torn_write" | "unconfirmed" }>;
type Verb = "changes" | "read" | "append" | "sync" | "batch";

/** A log that works as `log` does, but for the given faults. */
export class FaultyLog implements EntryLog {
  readonly storedLines?: NonNullable<EntryLog["storedLines"]>;
  readonly readBlobs?: NonNullable<EntryLog["readBlobs"]>;
  readonly #log: EntryLog;
  readonly #faults: readonly LogFault[];
  readonly #counts = new Map<Verb, number>();

  constructor(log: EntryLog, faults: readonly LogFault[]) {
    this.#log = log;
    this.#faults = faults;
    if (log.storedLines) this.storedLines = log.storedLines.bind(log);
    if (log.readBlobs) this.readBlobs = log.readBlobs.bind(log);
  }

  get header() {
    return this.#log.header;
  }

  async changes(view?: LogView): Promise<LogChange> {
    this.#refuse("changes");
    return this.#log.changes(view);
  }

  get older(): OlderRecords | undefined {
    return this.#log.older;
  }

  async read(positions: readonly Position[], use?: ReadUse) {
    this.#refuse("read");
    return this.#log.read(positions, use);
  }

  async append(batches: readonly RecordBatch[]): Promise<Appended> {
    this.#refuse("append");
    for (const [index, batch] of batches.entries()) {
      const fault = this.#writeFault();
      if (fault) return this.#failAt(batches.slice(0, index), batch, fault);
    }
    return this.#log.append(batches);
  }

  async sync(): Promise<void> {
    const call = this.#count("sync");
    const fails = this.#faults.some((fault) => fault.kind === "unsynced" && strikes(fault, call));
    if (fails) throw failure("sync", "unknown");
    return this.#log.sync();
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #failAt(before: readonly RecordBatch[], batch: RecordBatch, fault: WriteFault): Promise<Appended> {
    const stored = fault.kind === "unconfirmed" ? batch.length : fault.stored;
    const { outcomes, change } = await this.#log.append([...before, batch.slice(0, stored)]);
    const reached = outcomes.length > before.length && outcomes.at(-1)?.status === "stored";
    if (!reached) return { outcomes, change };
    const error = failure("append", fault.kind === "unconfirmed" ? "unknown" : "not_written");
    const failed: AppendOutcome = { status: "failed", stored, error };
    return {
      outcomes: [...outcomes.slice(0, -1), failed],
      change: fault.kind === "torn_write" ? withTornTail(change) : change,
    };
  }

  #refuse(verb: "changes" | "read" | "append"): void {
    const call = this.#count(verb);
    const refused = this.#faults.some(
      (fault) => fault.kind === "refused" && fault.verb === verb && strikes(fault, call),
    );
    if (refused) throw failure(verb, "not_written");
  }

  #writeFault(): WriteFault | undefined {
    const batch = this.#count("batch");
    return this.#faults.filter(isWriteFault).find((fault) => fault.nth === batch);
  }

  #count(verb: Verb): number {
    const count = (this.#counts.get(verb) ?? 0) + 1;
    this.#counts.set(verb, count);
    return count;
  }
}

function isWriteFault(fault: LogFault): fault is WriteFault {
  return fault.kind === "short_write" || fault.kind === "torn_write" || fault.kind === "unconfirmed";
}

function strikes(fault: { readonly nth: number; readonly sticky?: boolean }, call: number): boolean {
  return call === fault.nth || (fault.sticky === true && call > fault.nth);
}

function withTornTail(change: LogChange): LogChange {
  const torn = { code: "torn_tail", message: "half a record was left behind" } as const;
  return { ...change, diagnostics: [...change.diagnostics, torn] };
}

function failure(operation: string, outcome: "not_written" | "unknown"): SessionError {
  return new SessionError("storage_io", `${operation} was made to fail`, { operation, errno: "EIO", outcome });
}
