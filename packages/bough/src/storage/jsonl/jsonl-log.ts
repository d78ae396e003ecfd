import type { Stats } from "node:fs";
import { resolve } from "node:path";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { type BoughError, isBoughError, SessionError } from "../../errors.ts";
import type { Durability } from "../../session/durability.ts";
import type {
  Appended,
  AppendOutcome,
  EntryRecord,
  LogChange,
  RecordBatch,
  SyncEntryLog,
} from "../../session/entry-log.ts";
import { isMissing, shortWrite, storageError } from "../files/file-errors.ts";
import { type FileSystem, nodeFileSystem, sameInode, uninterrupted } from "../files/file-system.ts";
import { publishFile } from "../files/publish.ts";
import { AppendFile } from "./append-file.ts";
import { migrateFile } from "./migrate.ts";
import { joinedBatch, lineBreak, type OwnBatch, type OwnLine, ownBatch } from "./own-line.ts";
import { SessionFile } from "./session-file.ts";

export interface JsonlLogOptions {
  /** Other than `process`, what was not synced yet is kept in memory, to be written again if a sync fails. */
  readonly durability: Durability;
  readonly fileSystem?: FileSystem;
}

/**
 * A session in a JSONL file that other processes append to, replace, cut or delete as they like.
 *
 * An append writes first and looks afterwards. One `stat` of the path tells whether the file is longer by exactly what
 * was written: then every line stands where it was put. If not, somebody else was there, and what they left is read:
 * lines in between, a torn record that ours was glued to, another file under the same name. Whatever of the own lines
 * can't be found, whole and under its id, is appended again, behind a newline of its own. Nothing is ever cut or
 * overwritten, so the worst that a repeated line does is to stand there twice.
 */
export class JsonlLog implements SyncEntryLog {
  readonly #path: string;
  readonly #fileSystem: FileSystem;
  readonly #appender: AppendFile;
  readonly #ownIds = new Set<string>();
  #file: SessionFile;
  /** Bytes written that `#file` has not taken in yet. */
  #unseen = 0;
  /** A write failed or was cut short: the next one starts a line of its own. */
  #mayBeTorn = false;
  /** Own lines that were acknowledged and are not in the file that took the place of theirs. */
  #lost: readonly OwnLine[] = [];
  #wasReplaced = false;
  #isClosed = false;

  /**
   * Reads the file to its end and writes nothing. Throws `not_found` for a missing or empty file, `invalid_session` for
   * one that is no session, `unsupported_version`.
   */
  static open(path: string, options: JsonlLogOptions): JsonlLog {
    return new JsonlLog(resolve(path), options);
  }

  /** Publishes a file that holds all of `records` from its first moment, and opens it. Throws `already_exists`. */
  static create(
    path: string,
    header: SessionHeader,
    records: readonly EntryRecord[],
    options: JsonlLogOptions,
  ): JsonlLog {
    const { fileSystem = nodeFileSystem, durability } = options;
    const content = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ownBatch(records).bytes]);
    publishFile(resolve(path), content, { fileSystem, sync: durability !== "process" });
    const log = JsonlLog.open(path, options);
    for (const { entry } of records) log.#ownIds.add(entry.id);
    return log;
  }

  private constructor(path: string, { durability, fileSystem = nodeFileSystem }: JsonlLogOptions) {
    this.#fileSystem = fileSystem;
    try {
      this.#path = uninterrupted(() => fileSystem.realpathSync(path));
      this.#file = new SessionFile(this.#path, fileSystem);
    } catch (error) {
      if (isMissing(error)) throw notFound(path, error);
      throw storageError(error, { operation: "open", path });
    }
    if (this.#file.size === 0) {
      this.#file.close();
      throw notFound(path);
    }
    this.#appender = new AppendFile(this.#path, { fileSystem, keepsUnsynced: durability !== "process" });
  }

  get header(): SessionHeader {
    return this.#file.header;
  }

  /** Of the file itself; symbolic links were followed when it was opened. */
  get path(): string {
    return this.#path;
  }

  changes(): LogChange {
    this.#assertOpen();
    try {
      this.#follow(this.#stat());
    } catch (error) {
      throw storageError(error, { operation: "read", path: this.#path });
    }
    return this.#takeChange();
  }

  read(positions: readonly Position[]): readonly SessionTreeEntry[] {
    this.#assertOpen();
    try {
      return this.#file.read(positions);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw storageError(error, { operation: "read", path: this.#path });
    }
  }

  append(batches: readonly RecordBatch[]): Appended {
    this.#assertOpen();
    this.#makeAppendable();
    const attempt = this.#write(batches.map(ownBatch));
    return { outcomes: this.#outcomesOf(attempt), change: this.#takeChange() };
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    await this.#appender.sync();
  }

  syncNow(): void {
    this.#assertOpen();
    this.#appender.syncNow();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#appender.close();
    this.#file.close();
  }

  /** Batch by batch until one fails. */
  #write(batches: readonly OwnBatch[]): Attempt {
    const isExact = this.#unseen === 0 && this.#file.endsInNewline && !this.#mayBeTorn && this.#lost.length === 0;
    const attempted: OwnBatch[] = [];
    for (const batch of batches) {
      const restored = attempted.length === 0 ? this.#lost : [];
      attempted.push(batch);
      const failure = this.#writeBatch(restored.length === 0 ? batch : joinedBatch([...restored, ...batch.lines]));
      if (failure) return { batches: attempted, isExact: false, failure };
    }
    return { batches: attempted, isExact };
  }

  #writeBatch(batch: OwnBatch): BoughError | undefined {
    const startsNewLine = this.#mayBeTorn || !this.#file.endsInNewline;
    const bytes = startsNewLine ? Buffer.concat([lineBreak, batch.bytes]) : batch.bytes;
    try {
      const taken = this.#appender.write(bytes);
      this.#unseen += taken;
      this.#mayBeTorn = taken < bytes.length;
      // All but the last newline: whoever ends the line makes an entry of it.
      const outcome = taken === bytes.length - 1 ? "unknown" : "not_written";
      return this.#mayBeTorn ? shortWrite(this.#path, outcome) : undefined;
    } catch (error) {
      if (isMissing(error)) throw this.#deleted(error);
      this.#mayBeTorn = true;
      return storageError(error, { operation: "append", path: this.#path });
    }
  }

  #outcomesOf(attempt: Attempt): AppendOutcome[] {
    try {
      const stat = this.#stat();
      if (attempt.isExact && this.#isLongerBy(stat, this.#unseen)) return this.#admit(attempt.batches);
      this.#follow(stat);
      if (!attempt.failure) this.#writeMissing(attempt.batches.flatMap(({ lines }) => lines));
      return this.#verify(attempt, this.#uncertain(new Error("what was written is not in the file")));
    } catch (error) {
      if (isBoughError(error, "session_deleted")) throw error;
      return this.#verify(attempt, storageError(error, { operation: "append", path: this.#path, outcome: "unknown" }));
    }
  }

  /** All of it stands where it was put. */
  #admit(batches: readonly OwnBatch[]): AppendOutcome[] {
    this.#unseen = 0;
    return batches.map(({ lines }) => {
      this.#file.admit(lines);
      for (const { id } of lines) this.#ownIds.add(id);
      return { status: "stored" };
    });
  }

  /** Looks for each line in the file; `doubt` is why one may not be found although it was written. */
  #verify({ batches, failure }: Attempt, doubt: BoughError): AppendOutcome[] {
    const outcomes: AppendOutcome[] = [];
    for (const [index, { lines }] of batches.entries()) {
      const { stored, error = doubt } = this.#storedOf(lines);
      for (const { id } of lines.slice(0, stored)) this.#ownIds.add(id);
      if (stored < lines.length) {
        const isLast = index === batches.length - 1;
        return [...outcomes, { status: "failed", stored, error: (isLast && failure) || error }];
      }
      outcomes.push({ status: "stored" });
    }
    return outcomes;
  }

  /** How many of the first lines can be read back, and what kept the next from being read. */
  #storedOf(lines: readonly OwnLine[]): { readonly stored: number; readonly error?: BoughError } {
    let stored = 0;
    try {
      for (const line of lines) {
        if (!this.#file.holds(line)) break;
        stored++;
      }
      return { stored };
    } catch (error) {
      return { stored, error: this.#uncertain(error) };
    }
  }

  /**
   * Appends again, under the same ids, what is not in the file: what a replacement lost and what was just written. All
   * from the first missing line on, since the last line of a file says where the session stands.
   */
  #writeMissing(lines: readonly OwnLine[]): void {
    for (let round = 0; round < maxRounds; round++) {
      const wanted = [...this.#lost, ...lines];
      const missing = wanted.findIndex((line) => !this.#file.holds(line));
      if (missing === -1) break;
      this.#mayBeTorn = true;
      const failure = this.#writeBatch(joinedBatch(wanted.slice(missing)));
      this.#follow(this.#stat());
      if (failure) throw failure;
    }
    this.#lost = this.#lost.filter((line) => !this.#file.holds(line));
  }

  #isLongerBy(stat: Stats, bytes: number): boolean {
    return sameInode(stat, this.#file.inode) && stat.size === this.#file.size + bytes;
  }

  /** Brings the view up to what the path holds. */
  #follow(stat: Stats): void {
    const isSame = sameInode(stat, this.#file.inode) && stat.size >= this.#file.size + this.#unseen;
    if (!isSame || !this.#file.grow(stat.size)) this.#reload();
    this.#unseen = 0;
    this.#mayBeTorn = false;
  }

  #reload(): void {
    const before = this.#file;
    const after = this.#openAgain();
    if (after.size === 0 || after.header.id !== before.header.id) {
      after.close();
      throw this.#deleted();
    }
    if (!sameInode(before.inode, after.inode)) this.#appender.release();
    const lost = [...this.#ownIds].filter((id) => !after.has(id)).map((id) => before.lineOf(id));
    this.#lost = [...this.#lost, ...lost.filter((line) => line !== undefined)];
    this.#file = after;
    this.#wasReplaced = true;
    before.close();
  }

  #openAgain(): SessionFile {
    try {
      return new SessionFile(this.#path, this.#fileSystem);
    } catch (error) {
      throw isMissing(error) ? this.#deleted(error) : error;
    }
  }

  /** A file of an older form is replaced by one of the current form, which the view then follows. */
  #makeAppendable(): void {
    if (this.#file.access === "append") return;
    if (this.#file.access === "read_only") {
      throw new SessionError("read_only", `${this.#path} has a version newer than this program`, { reason: "version" });
    }
    migrateFile(this.#path, this.#fileSystem);
    this.#follow(this.#stat());
  }

  #stat(): Stats {
    const stat = uninterrupted(() => this.#fileSystem.statSync(this.#path, { throwIfNoEntry: false }));
    if (stat === undefined) throw this.#deleted();
    return stat;
  }

  #takeChange(): LogChange {
    const kind = this.#wasReplaced ? "replaced" : "grown";
    this.#wasReplaced = false;
    return { kind, ...this.#file.takeNews() };
  }

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw new SessionError("closed", `session ${this.header.id} is closed`, { id: this.header.id });
  }

  #deleted(cause?: unknown): SessionError {
    const { id } = this.header;
    return new SessionError("session_deleted", `session ${id} is not at ${this.#path} any more`, { id }, { cause });
  }

  #uncertain(cause: unknown): SessionError {
    return storageError(cause, { operation: "append", path: this.#path, outcome: "unknown" });
  }
}

// Each round writes behind a newline of its own, so one is enough unless somebody rewrites the file again and again.
const maxRounds = 4;

interface Attempt {
  readonly batches: readonly OwnBatch[];
  /** Every line follows the end of the file as it was known, whole and with nothing between. */
  readonly isExact: boolean;
  /** Of the last batch. */
  readonly failure?: BoughError | undefined;
}

function notFound(path: string, cause?: unknown): SessionError {
  return new SessionError("not_found", `no session is at ${path}`, { what: "session", id: path }, { cause });
}
