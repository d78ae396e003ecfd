import { join, resolve } from "node:path";
import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { type HeadContent, headAt, headOf, type Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { type BoughError, isBoughError, SessionError } from "../../errors.ts";
import type { SessionDecoder } from "../../format/session-decoder.ts";
import { type Durability, durabilityOf } from "../../session/durability.ts";
import type {
  Appended,
  AppendOutcome,
  EntryRecord,
  LogChange,
  RecordBatch,
  SyncEntryLog,
} from "../../session/entry-log.ts";
import { closedSession } from "../../session/missing.ts";
import { EntryCache } from "../files/entry-cache.ts";
import { errnoOf, isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { placeFile } from "../files/publish.ts";
import { createSession } from "./create.ts";
import { EntryFolder } from "./entry-folder.ts";
import { entryFileName, lastSeq } from "./entry-name.ts";
import { EntryOrder } from "./entry-order.ts";
import { decoderOf, metadataStamp } from "./metadata.ts";
import { UnsyncedFiles } from "./unsynced-files.ts";

const cacheSize = 8 << 20;

export interface DirectoryLogOptions {
  /** `turn` unless said otherwise. Other than `process`, what was not synced yet is kept in memory, to be written again if a sync fails. */
  readonly durability?: Durability;
  readonly fileSystem?: FileSystem;
}

/**
 * A session in a folder of its own, one file an entry, for folders that other tools carry between machines. Nobody ever
 * changes a file, so if two machines both went on, the union of their files is the session.
 *
 * The order is that of (seq, id), `seq` being a Lamport counter: one more than the highest that the writer knows. A file
 * that turns up in front of others, because it was written without knowing of them, changes the order, and the log says
 * `replaced`. A file that is taken away takes its entry with it; it is not written again.
 */
export class DirectoryLog implements SyncEntryLog {
  readonly path: string;
  readonly #fileSystem: FileSystem;
  readonly #keepsUnsynced: boolean;
  readonly #decoder: SessionDecoder;
  readonly #folder: EntryFolder;
  readonly #unsynced: UnsyncedFiles;
  readonly #order = new EntryOrder();
  #cache = new EntryCache(cacheSize);
  /** The generation of the order whose positions the cache knows. */
  #cached = 0;
  #diagnostics: Diagnostic[] = [];
  /** The folder's after the last look or write of this object; a write looks first if it is another. */
  #stamp: string | undefined;
  #metadataStamp: string | undefined;
  #isClosed = false;

  /** Reads the session and writes nothing. Throws `not_found`, `invalid_session`, `unsupported_version`. */
  static open(path: string, options: DirectoryLogOptions = {}): DirectoryLog {
    return new DirectoryLog(resolve(path), options);
  }

  /** Publishes a session that holds all of `records` from its first moment, and opens it. Throws `already_exists`. */
  static create(
    path: string,
    header: SessionHeader,
    records: readonly EntryRecord[],
    options: DirectoryLogOptions = {},
  ): DirectoryLog {
    const { fileSystem = nodeFileSystem, durability } = options;
    createSession(resolve(path), header, records, { fileSystem, sync: durabilityOf(durability) !== "process" });
    return DirectoryLog.open(path, options);
  }

  private constructor(path: string, { durability, fileSystem = nodeFileSystem }: DirectoryLogOptions) {
    this.path = path;
    this.#fileSystem = fileSystem;
    this.#keepsUnsynced = durabilityOf(durability) !== "process";
    try {
      this.#metadataStamp = metadataStamp(path, fileSystem);
      this.#decoder = decoderOf(path, fileSystem);
    } catch (error) {
      throw storageError(error, { operation: "open", path });
    }
    const entries = join(path, "entries");
    this.#folder = new EntryFolder(entries, this.#decoder, fileSystem);
    this.#unsynced = new UnsyncedFiles(entries, fileSystem);
    this.#look();
  }

  get header(): SessionHeader {
    return this.#decoder.header as SessionHeader;
  }

  changes(): LogChange {
    this.#assertOpen();
    this.#look();
    return this.#takeChange();
  }

  read(positions: readonly Position[]): readonly SessionTreeEntry[] {
    this.#assertOpen();
    if (this.#cached !== this.#order.generation) this.#cache = new EntryCache(cacheSize);
    this.#cached = this.#order.generation;
    return positions.map((position) => this.#cache.get(position) ?? this.#readAt(position));
  }

  append(batches: readonly RecordBatch[]): Appended {
    this.#assertOpen();
    this.#assertWritable();
    if (this.#stamp === undefined || this.#presentStamp() !== this.#stamp) this.#look();
    if (this.#stamp === undefined) this.#makeFolder();
    const outcomes: AppendOutcome[] = [];
    for (const batch of batches) {
      const outcome = this.#appendBatch(batch);
      outcomes.push(outcome);
      if (outcome.status === "failed") break;
    }
    this.#stamp = this.#presentStamp();
    return { outcomes, change: this.#takeChange() };
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    await this.#unsynced.sync();
  }

  syncNow(): void {
    this.#assertOpen();
    this.#unsynced.syncNow();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Undefined if there is no folder, or none that can be looked at now: the next look will say why. */
  #presentStamp(): string | undefined {
    try {
      return this.#folder.stamp();
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #appendBatch(batch: RecordBatch): AppendOutcome {
    for (const [stored, record] of batch.entries()) {
      const error = this.#appendRecord(record);
      if (error) return { status: "failed", stored, error };
    }
    return { status: "stored" };
  }

  #appendRecord({ head, json }: EntryRecord): BoughError | undefined {
    const content = Buffer.from(json);
    try {
      const before = this.#order.of(head.id);
      if (!before || !this.#isSame(before.name, content)) this.#write(head, content);
      return undefined;
    } catch (error) {
      if (isMissing(error)) throw this.#deleted(error);
      return storageError(error, { operation: "append", path: this.#folder.path });
    }
  }

  /** Under the next number whose name is free: another process may just have written an entry of this id there. */
  #write(head: HeadContent, content: Uint8Array): void {
    let seq = Math.min(this.#order.lastSeq + 1, lastSeq);
    while (!this.#place(entryFileName(seq, head.id), content)) {
      if (seq === lastSeq) throw alreadyExists(head.id);
      seq++;
    }
    const name = entryFileName(seq, head.id);
    this.#folder.admit(name);
    this.#order.insert([{ name, seq, head: headAt(0, head) }]);
  }

  /** False if the name is that of other content. */
  #place(name: string, content: Uint8Array): boolean {
    const path = join(this.#folder.path, name);
    try {
      placeFile(path, content, { fileSystem: this.#fileSystem, sync: false });
    } catch (error) {
      if (!isBoughError(error, "already_exists")) throw error;
      if (!this.#isSame(name, content)) return false;
    }
    this.#unsynced.add(path, this.#keepsUnsynced ? content : undefined);
    return true;
  }

  #isSame(name: string, content: Uint8Array): boolean {
    const bytes = this.#folder.bytesOf(name);
    return bytes !== undefined && Buffer.compare(bytes, content) === 0;
  }

  #readAt(position: Position): SessionTreeEntry {
    const stored = this.#order.at(position);
    if (!stored) throw new RangeError(`no entry at position ${position}`);
    const bytes = this.#bytesOf(stored.name);
    const entry = this.#decoder.redecode(bytes, stored.head);
    if (entry.type !== "damaged") this.#cache.set(position, entry, bytes.length);
    return entry;
  }

  #bytesOf(name: string): Uint8Array {
    try {
      return this.#folder.bytesOf(name) ?? new Uint8Array();
    } catch (error) {
      throw storageError(error, { operation: "read", path: join(this.#folder.path, name) });
    }
  }

  /** Brings the view up to what the folder holds. */
  #look(): void {
    try {
      const stamp = this.#folder.stamp();
      this.#assertPresent();
      const { files, diagnostics, gone } = this.#folder.look(stamp);
      this.#stamp = stamp;
      for (const diagnostic of diagnostics) this.#diagnostics.push(diagnostic);
      this.#order.remove(gone);
      this.#order.insert(files.map(({ name, seq, entry }) => ({ name, seq, head: headOf(entry, 0) })));
    } catch (error) {
      if (isMissing(error)) throw this.#deleted(error);
      throw storageError(error, { operation: "read", path: this.#folder.path });
    }
  }

  /** Tools that carry files may not carry an empty folder. */
  #makeFolder(): void {
    try {
      this.#fileSystem.mkdirSync(this.#folder.path, 0o700);
      this.#fileSystem.chmodSync(this.#folder.path, 0o700);
    } catch (error) {
      if (isMissing(error)) throw this.#deleted(error);
      if (errnoOf(error) !== "EEXIST") throw storageError(error, { operation: "append", path: this.#folder.path });
    }
  }

  /** The path may hold another session by now, or none. */
  #assertPresent(): void {
    const stamp = metadataStamp(this.path, this.#fileSystem);
    if (stamp === this.#metadataStamp) return;
    try {
      if (decoderOf(this.path, this.#fileSystem).header?.id !== this.header.id) throw this.#deleted();
      this.#metadataStamp = stamp;
    } catch (error) {
      throw isBoughError(error, "not_found") ? this.#deleted(error) : error;
    }
  }

  #assertWritable(): void {
    if (this.#decoder.access === "append") return;
    throw new SessionError("read_only", `${this.path} can't be written in its form`, { reason: "version" });
  }

  #takeChange(): LogChange {
    const { kind, heads } = this.#order.takeNews();
    const diagnostics = kind === "replaced" ? this.#folder.diagnostics : this.#diagnostics;
    this.#diagnostics = [];
    return { kind, heads, diagnostics };
  }

  #assertOpen(): void {
    if (this.#isClosed) throw closedSession(this.header.id);
  }

  #deleted(cause?: unknown): SessionError {
    const { id } = this.header;
    return new SessionError("session_deleted", `session ${id} is not at ${this.path} any more`, { id }, { cause });
  }
}

function alreadyExists(id: string): SessionError {
  return new SessionError("already_exists", `${id} is taken and no number is left`, { what: "entry", id });
}
