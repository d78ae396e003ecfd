import { resolve } from "node:path";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { isBoughError, SessionError } from "../../errors.ts";
import { encodeHeader } from "../../format/encode.ts";
import { type Durability, durabilityOf } from "../../session/durability.ts";
import type {
  Appended,
  Blobs,
  EntryRecord,
  LogChange,
  LogView,
  OlderRecords,
  ReadUse,
  RecordBatch,
  RecordRun,
  StoredLines,
  SyncEntryLog,
} from "../../session/entry-log.ts";
import { closedSession } from "../../session/missing.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, nodeFileSystem, uninterrupted } from "../files/file-system.ts";
import { isOnNetworkVolume } from "../files/network-volume.ts";
import { publishFile, publishingAt } from "../files/publish.ts";
import { AppendFile } from "./append-file.ts";
import { readBlobsOf } from "./blob-folder.ts";
import { FollowedFile } from "./followed-file.ts";
import { LogWriter } from "./log-writer.ts";
import { joinedLines } from "./own-line.ts";
import type { EndSizes, SessionFile } from "./session-file.ts";
import { WriterLock } from "./writer-lock.ts";

export interface JsonlLogOptions {
  /**
   * `turn` unless said otherwise. Other than `process`, what was not synced yet is kept in memory, to be written again if a
   * sync fails.
   */
  readonly durability?: Durability;
  readonly fileSystem?: FileSystem;
  /** How the file is read from its end, at first. */
  readonly endSizes?: EndSizes;
}

/** A session in a JSONL file, open for reading and, from the first append on, for writing. */
export class JsonlLog implements SyncEntryLog {
  readonly #path: string;
  readonly #options: JsonlLogOptions;
  readonly #fileSystem: FileSystem;
  readonly #appender: AppendFile;
  readonly #followed: FollowedFile;
  readonly #writer: LogWriter;
  /** Undefined before the first append. */
  #writerLock: WriterLock | "needless" | undefined;
  #isClosed = false;

  /**
   * Reads how the file ends and writes nothing. Throws `not_found` for a missing or empty file, `invalid_session` for
   * one that is no session, `unsupported_version`.
   */
  static open(path: string, options: JsonlLogOptions = {}): JsonlLog {
    return new JsonlLog(resolve(path), options);
  }

  reopen(): JsonlLog {
    return JsonlLog.open(this.#path, this.#options);
  }

  /** Publishes a file that holds all of `records` from its first moment, and opens it. Throws `already_exists`. */
  static create(
    path: string,
    header: SessionHeader,
    records: readonly EntryRecord[],
    options: JsonlLogOptions = {},
  ): JsonlLog {
    const { fileSystem = nodeFileSystem, durability } = options;
    const content = Buffer.concat([Buffer.from(`${encodeHeader(header)}\n`), joinedLines(records)]);
    publishFile(resolve(path), content, publishingAt(durability, fileSystem));
    const log = JsonlLog.open(path, options);
    log.#followed.remember(joinedLines(records));
    for (const { head } of records) log.#followed.own(head.id);
    return log;
  }

  private constructor(path: string, options: JsonlLogOptions) {
    const { fileSystem = nodeFileSystem, endSizes } = options;
    const keepsUnsynced = durabilityOf(options.durability) !== "process";
    this.#options = options;
    this.#fileSystem = fileSystem;
    try {
      this.#path = uninterrupted(() => fileSystem.realpathSync(path));
      this.#followed = new FollowedFile(this.#path, fileSystem, endSizes);
    } catch (error) {
      if (isMissing(error)) throw notFound(path, error);
      throw storageError(error, { operation: "open", path });
    }
    if (this.#followed.file.size === 0) {
      this.#followed.file.close();
      throw notFound(path);
    }
    this.#appender = new AppendFile(this.#path, { fileSystem, keepsUnsynced });
    this.#writer = new LogWriter(this.#path, this.#appender, this.#followed, fileSystem);
  }

  get header(): SessionHeader {
    return this.#followed.file.header;
  }

  /** Of the file itself; symbolic links were followed when it was opened. */
  get path(): string {
    return this.#path;
  }

  changes(view: LogView = "whole"): LogChange {
    this.#assertOpen();
    try {
      this.#followed.show(view);
      this.#writer.catchUp();
    } catch (error) {
      throw storageError(error, { operation: "read", path: this.#path });
    }
    this.#tryToRestore();
    return this.#followed.takeChange();
  }

  readonly older: OlderRecords = {
    next: (use) => this.#look((file) => file.older(use)),
    mayHold: (type) => this.#look((file) => file.mayHoldOlder(type)),
  };

  #look<T>(look: (file: SessionFile) => T): T {
    this.#assertOpen();
    try {
      return look(this.#followed.file);
    } catch (error) {
      throw storageError(error, { operation: "read", path: this.#path });
    }
  }

  read(positions: readonly Position[], use?: ReadUse): readonly SessionTreeEntry[] {
    this.#assertOpen();
    try {
      return this.#followed.file.read(positions, use);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw storageError(error, { operation: "read", path: this.#path });
    }
  }

  storedLines(runs: readonly RecordRun[]): StoredLines | undefined {
    this.#assertOpen();
    const pieces = this.#followed.file.storedLines(runs);
    return pieces && this.#guarded(pieces);
  }

  *#guarded(pieces: StoredLines): Generator<Uint8Array, void, undefined> {
    try {
      yield* pieces;
    } catch (error) {
      throw storageError(error, { operation: "read", path: this.#path });
    }
  }

  readBlobs(digests: readonly string[]): Blobs {
    this.#assertOpen();
    try {
      return readBlobsOf(this.#path, digests, this.#fileSystem);
    } catch (error) {
      throw storageError(error, { operation: "read", path: this.#path });
    }
  }

  append(batches: readonly RecordBatch[]): Appended {
    this.#assertOpen();
    this.#followed.show("whole");
    this.#writer.makeAppendable();
    if (batches.length > 0) this.#lockForeignVolume();
    const outcomes = this.#writer.append(batches);
    return { outcomes, change: this.#followed.takeChange() };
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    this.#assureOwn();
    await this.#appender.sync();
  }

  syncNow(): void {
    this.#assertOpen();
    this.#assureOwn();
    this.#appender.syncNow();
  }

  /** Throws what keeps acknowledged entries that are gone from being written again; it is closed then all the same. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#restoreAtLast();
    } finally {
      if (this.#writerLock instanceof WriterLock) this.#writerLock.release();
      this.#appender.close();
      this.#followed.file.close();
    }
  }

  #restoreAtLast(): void {
    try {
      this.#writer.assureOwn();
    } catch (error) {
      // Of a session that was deleted nothing is made anew, and where nobody can look nothing is known to be lost.
      if (this.#followed.lost.length === 0 || isBoughError(error, "session_deleted")) return;
      throw storageError(error, { operation: "append", path: this.#path });
    }
  }

  #assureOwn(): void {
    try {
      this.#writer.assureOwn();
    } catch (error) {
      throw storageError(error, { operation: "sync", path: this.#path, outcome: "unknown" });
    }
  }

  /** What can't be written again now is tried again, and told, at the next append, sync or close. */
  #tryToRestore(): void {
    try {
      this.#writer.restoreLost();
    } catch {
      // Nobody asked for a write.
    }
  }

  /** Where appends of two machines don't exclude each other there is one writer, from its first append on. */
  #lockForeignVolume(): void {
    try {
      this.#writerLock ??= this.#takeLock();
      if (this.#writerLock !== "needless") this.#writerLock.assertHeld();
    } catch (error) {
      // The append itself tells what a file is that is not there.
      if (!isMissing(error)) throw storageError(error, { operation: "append", path: this.#path });
    }
  }

  #takeLock(): WriterLock | "needless" {
    if (!isOnNetworkVolume(this.#path, this.#fileSystem)) return "needless";
    return WriterLock.take(this.#path, this.header.id, this.#fileSystem);
  }

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw closedSession(this.header.id);
  }
}

function notFound(path: string, cause?: unknown): SessionError {
  return new SessionError("not_found", `no session is at ${path}`, { what: "session", id: path }, { cause });
}
