import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import type {
  Appended,
  EntryRecord,
  LogChange,
  LogView,
  OlderRecords,
  ReadUse,
  RecordBatch,
  SyncEntryLog,
} from "../session/entry-log.ts";
import { closedSession } from "../session/missing.ts";
import { JsonlLog, type JsonlLogOptions } from "../storage/jsonl/index.ts";
import { MemoryLog, MemoryRecords } from "../storage/memory/index.ts";

/**
 * A session that becomes a file with its first message of the user or the model. Until then entries are kept in memory;
 * header and entries are then published together, complete or not at all. Where that fails what was kept stays kept,
 * and the next message tries again.
 */
export class DeferredLog implements SyncEntryLog {
  readonly #path: string;
  readonly #options: JsonlLogOptions;
  readonly #kept: MemoryLog;
  #records: EntryRecord[] = [];
  #file: JsonlLog | undefined;
  /** The file was not read yet, and positions handed out before are void. */
  #isNews = false;
  #isClosed = false;

  constructor(path: string, header: SessionHeader, options: JsonlLogOptions) {
    this.#path = path;
    this.#options = options;
    this.#kept = new MemoryLog(new MemoryRecords(header));
  }

  get header(): SessionHeader {
    return this.#log.header;
  }

  changes(view?: LogView): LogChange {
    const change = this.#log.changes(view);
    if (!this.#isNews) return change;
    this.#isNews = false;
    return { ...change, kind: "replaced" };
  }

  readonly older: OlderRecords = {
    next: (use) => this.#log.older?.next(use),
    mayHold: (type) => this.#log.older?.mayHold(type) ?? false,
  };

  read(positions: readonly number[], use?: ReadUse): readonly SessionTreeEntry[] {
    return this.#log.read(positions, use);
  }

  append(batches: readonly RecordBatch[]): Appended {
    if (this.#file) return this.#file.append(batches);
    const records = batches.flat();
    if (!records.some(beginsConversation)) return this.#keep(batches, records);
    if (this.#isClosed) throw closedSession(this.header.id);
    this.#publish([...this.#records, ...records]);
    return { outcomes: batches.map(() => ({ status: "stored" })), change: this.changes("end") };
  }

  async sync(): Promise<void> {
    await this.#log.sync();
  }

  syncNow(): void {
    this.#log.syncNow();
  }

  close(): void {
    this.#isClosed = true;
    this.#kept.close();
    this.#file?.close();
  }

  get reopen(): (() => JsonlLog) | undefined {
    const file = this.#file;
    return file && (() => file.reopen());
  }

  #keep(batches: readonly RecordBatch[], records: readonly EntryRecord[]): Appended {
    const appended = this.#kept.append(batches);
    for (const record of records) this.#records.push(record);
    return appended;
  }

  #publish(records: readonly EntryRecord[]): void {
    try {
      this.#adopt(JsonlLog.create(this.#path, this.header, records, this.#options));
    } catch (error) {
      if (!isBoughError(error, "already_exists")) this.#adoptOwn();
      throw error;
    }
  }

  /** After a failure: the file may be there all the same, and only its durability in doubt. */
  #adoptOwn(): void {
    let file: JsonlLog;
    try {
      file = JsonlLog.open(this.#path, this.#options);
    } catch {
      return;
    }
    if (file.header.id === this.header.id) this.#adopt(file);
    else file.close();
  }

  #adopt(file: JsonlLog): void {
    this.#file = file;
    this.#records = [];
    this.#isNews = true;
  }

  get #log(): SyncEntryLog {
    return this.#file ?? this.#kept;
  }
}

function beginsConversation({ head }: EntryRecord): boolean {
  return head.type === "message" && (head.role === "user" || head.role === "assistant");
}
