import type { SessionHeader, SessionMetadata } from "../entry/header.ts";
import type { CopiedLines, EntryLog, RecordBatch } from "./entry-log.ts";

/**
 * Where many sessions are kept: the port behind `SessionRepo`. A store knows how to publish, find, list and throw away
 * logs; ids, headers and what is in them are the repo's business.
 */
export interface SessionStore {
  /**
   * Publishes a session that others see complete or not at all, header first, and opens it. Rejects with
   * `already_exists`; after any other failure nothing of it is visible.
   */
  create(header: SessionHeader, records: RecordSource, placement?: Placement): Promise<StoredSession>;

  /**
   * As `create`, of a store whose logs have `storedLines` and that takes them over as they are. A store without this is given
   * records.
   */
  copy?(header: SessionHeader, records: CopySource, placement?: Placement): Promise<StoredSession>;

  /**
   * The place that a query names where somebody left room for a session, as an empty file is. Nothing else may be made
   * a session: a query can be any text, such as an id that a host was given.
   */
  vacancyAt(query: string): string | undefined;

  /**
   * Opens a log that `resolve` or `list` found, and never writes. Rejects with `not_found`, `invalid_session`,
   * `unsupported_version`, `outside_store`.
   */
  open(ref: SessionRef): Promise<StoredSession>;

  /**
   * Finds one session by exact id, exact name, unique prefix or suffix (four characters or more) of an id, or, in a
   * store of files, by path. Rejects with `not_found`, or `ambiguous` with the candidates.
   */
  resolve(query: string): Promise<SessionRef>;

  /** Sessions in no particular order; one that can't be read is yielded as such and ends nothing. */
  list(options?: ListOptions): AsyncIterable<SessionListing>;

  /** Moves a session to the trash. An unknown one is fine; one that is being driven is `busy`. */
  remove(ref: SessionRef): Promise<void>;

  /**
   * Takes a session out of the trash, to where it was; of several that were deleted under one id the one that was deleted
   * last. Rejects with `not_found` or `already_exists`.
   */
  restore(id: string): Promise<SessionRef>;

  /** Destroys what is in the trash, all or one session of it. Resolves with how many. */
  purge(id?: string): Promise<number>;
}

/** What is known of the place that a session is to have. */
export interface Placement {
  /** Where `vacancyAt` found room. */
  readonly location?: string;
  /** The header's id was made for it, and nobody else can have it: there is no need to look, or to keep others out. */
  readonly hasOwnId?: boolean;
}

export type RecordSource = Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
export type CopySource = Iterable<RecordBatch | CopiedLines> | AsyncIterable<RecordBatch | CopiedLines>;

/** Names a session within its store. `location` is a path where the store keeps files. */
export interface SessionRef {
  readonly id: string;
  readonly location?: string;
}

export interface StoredSession {
  readonly ref: SessionRef;
  readonly log: EntryLog;
}

export interface ListOptions {
  /**
   * Only sessions of this working directory, compared as paths of the system that wrote them (`isSpelledAlike`); where a
   * store has a file system, a link to it is it.
   */
  readonly cwd?: string;
  /** What is in the trash instead. */
  readonly trash?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A session as a list shows it, without its entries. */
export type SessionListing<TMetadata extends SessionMetadata = SessionMetadata> =
  | SessionInfo<TMetadata>
  | UnreadableSession;

export interface SessionInfo<TMetadata extends SessionMetadata = SessionMetadata> {
  readonly status: "ok";
  readonly id: string;
  readonly path?: string;
  readonly cwd: string;
  readonly name?: string;
  /** First text of the user, else of the model, else "(no messages)". */
  readonly firstMessage: string;
  readonly messageCount: number;
  /** ISO 8601. */
  readonly created: string;
  /** When the user or the model last said something, ISO 8601; what tools print and marks don't count. */
  readonly modified: string;
  /** Path or id of the session this one was forked from, as stored. */
  readonly parentSession?: string;
  readonly metadata?: TMetadata;
}

/** Something that should be a session and can't be read as one. */
export interface UnreadableSession {
  readonly status: "unreadable";
  readonly id?: string;
  readonly path?: string;
  readonly error: unknown;
}
