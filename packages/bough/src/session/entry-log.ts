import type { Diagnostic } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, HeadContent, Position } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import type { Heads } from "../entry/heads.ts";
import type { BoughError } from "../errors.ts";

/**
 * Where one session's entries are kept: an append-only log that hands out heads and bodies separately. Everything
 * clever (tree, leaf, marks, context, order of appends) is above it and written once; a log only keeps records and
 * says honestly what it kept.
 *
 * A log may be shared with other processes. It never rewrites what it holds, opening one never writes, and what it
 * cannot understand costs the one record and is reported as a diagnostic.
 */
export interface EntryLog {
  /** The first record, upgraded to the current version in memory. */
  readonly header: SessionHeader;

  /**
   * What the log holds and has not handed out yet, in log order: the first call returns everything, later calls what
   * this object appended itself or found that others wrote. A log with `older` that is asked for its `end` may leave to
   * it what stands before. Rejects with `session_deleted` if the session is gone.
   */
  changes(view?: LogView): Promise<LogChange>;

  /** What stands before all that was handed out; a log without this has nothing there. */
  readonly older?: OlderRecords | undefined;

  /**
   * The bodies of entries handed out before, frozen, in the order asked for. A record that can't be read any more
   * comes back as a `damaged` entry.
   */
  read(positions: readonly Position[], use?: ReadUse): Promise<readonly SessionTreeEntry[]>;

  /**
   * Entries handed out before as the lines of JSON that keep them: for a copy in which nothing of them changes. Undefined
   * where they are kept in another form than this version writes. A log without this keeps no lines.
   */
  storedLines?(runs: readonly RecordRun[]): Promise<StoredLines | undefined>;

  /**
   * Bytes that entries refer to as `blob:sha256:<hex>`, by that hex digest and checked against it; those that aren't
   * there are missing from the answer. A log without this has none.
   */
  readBlobs?(digests: readonly string[]): Promise<Blobs>;

  /**
   * Adds records, batch behind batch; a batch is never divided between writes, several may share one. After a crash a
   * prefix of all of them may stand, never a gap. All share one confirmation that they can be read back. Stops at the
   * first batch that fails, since later ones may hang from it: `outcomes` ends with it and with those that may have been
   * written together with it. Rejects only if nothing of any batch was written (`closed`, `read_only`, `busy`,
   * `session_deleted`).
   */
  append(batches: readonly RecordBatch[]): Promise<Appended>;

  /**
   * Resolves when everything appended so far would survive a power loss, as far as this kind of log can promise.
   * Concurrent calls share the work. Rejects with `storage_io`, outcome `unknown`, if that stays uncertain.
   */
  sync(): Promise<void>;

  /** Releases handles. Idempotent; every later call rejects with `closed`. */
  close(): Promise<void>;
}

/** A log whose I/O is synchronous; `syncNow` blocks where `sync` waits. `asyncLog` makes an `EntryLog` of it. */
export interface SyncEntryLog {
  readonly header: SessionHeader;
  changes(view?: LogView): LogChange;
  readonly older?: OlderRecords | undefined;
  read(positions: readonly Position[], use?: ReadUse): readonly SessionTreeEntry[];
  storedLines?(runs: readonly RecordRun[]): StoredLines | undefined;
  readBlobs?(digests: readonly string[]): Blobs;
  append(batches: readonly RecordBatch[]): Appended;
  sync(): Promise<void>;
  syncNow(): void;
  close(): void;
  /**
   * The same log, opened once more to be read, also after it was closed. With it a session may leave to later what most
   * don't ask for. Throws what opening throws.
   */
  readonly reopen?: (() => SyncEntryLog) | undefined;
}

/** How much of a log is asked for at first: all of it, every record read whole, or how it ends. */
export type LogView = "whole" | "end";

/**
 * What bodies are read for. `content`: to be shown or sent, as likely as not again. `shape`: to be looked at once; it is
 * not kept for the next who asks, and of a record too long to be held the beginnings of what is in it are enough.
 */
export type ReadUse = "content" | "shape";

/**
 * What older records are asked for: `all` heads, `some` until one is found, or the `bodies` too, which will be read next.
 * A log may do with it what it likes.
 */
export type OlderUse = "all" | "some" | "bodies";

/** Base64 by digest. */
export type Blobs = ReadonlyMap<string, string>;

/** An entry with its strict JSON, made before any I/O. `json` has no line break in it. */
export interface EntryRecord {
  /** What the entry's head will say, wherever it is kept. */
  readonly head: HeadContent;
  /** What `json` says, frozen. It may be made only when it is asked for. */
  readonly entry: SessionTreeEntry;
  readonly json: string;
}

export type RecordBatch = readonly EntryRecord[];

/** Of the records handed out all from one to another, both included. */
export interface RecordRun {
  readonly first: Position;
  readonly last: Position;
}

/**
 * Lines, each with its line break, one behind the other in the order asked for, in pieces that are cut anywhere. They are
 * read as they are asked for, and a piece is valid until the next is. Reading throws `storage_io`, also where the file
 * is shorter than it was.
 */
export type StoredLines = Iterable<Uint8Array>;

/** Records of another log, as `EntryLog.storedLines` gives them. */
export interface CopiedLines {
  readonly lines: StoredLines;
}

/** Some records of a log, one behind the other. */
export interface Stretch {
  readonly heads: readonly EntryHead[];
  /** What was wrong with the records among `heads`, or stood between them. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A stretch whose heads may be kept in a form that takes less room; they must not change any more. */
export interface OlderStretch {
  readonly heads: readonly EntryHead[] | Heads;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The records of a log that were not handed out at first. It never waits for anything but the disk, so that whoever holds
 * an id can be told at once what it is. Throws `storage_io`, and goes on there when it is called again.
 */
export interface OlderRecords {
  /**
   * The stretch before all that was handed out, in log order; undefined once the beginning was reached. Asked again then
   * it tells, as a stretch without heads, what has become known of records handed out before: which ids they repeat, and
   * what reading their bodies has shown.
   */
  next(use?: OlderUse): OlderStretch | undefined;
  /** Whether a record of a type may be among them; false is certain, and known sooner than every head. */
  mayHold(type: string): boolean;
}

export interface LogChange extends Stretch {
  /**
   * `replaced`: the log was exchanged or shrank under us and older positions are void; `heads` is what a first call
   * hands out, with all that nobody here has seen.
   */
  readonly kind: "grown" | "replaced";
  /** Of a log that was replaced before all of it was handed out: the ids of what was left. */
  readonly leftIds?: ReadonlySet<string>;
}

export interface Appended {
  /**
   * One outcome a batch that was attempted, in order. Behind one that failed stand only others that may have been written
   * with it and can't be looked at: they failed too, with the outcome `unknown`.
   */
  readonly outcomes: readonly AppendOutcome[];
  /** As `changes()` would have returned it, what was just appended included. */
  readonly change: LogChange;
}

/** `failed`: of the batch's records the first `stored` can be read back, the rest is not written or unknown (see the error). */
export type AppendOutcome =
  | { readonly status: "stored" }
  | { readonly status: "failed"; readonly stored: number; readonly error: BoughError };
