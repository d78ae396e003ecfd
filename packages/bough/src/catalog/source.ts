import type { DiagnosticCode } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import type { Sieve } from "./sieve.ts";

/** Where a catalog learns of sessions. It only reads: sessions of other programs can be a source too. */
export interface CatalogSource {
  /** What users call it. */
  readonly name: string;
  /** Names it in the catalog for good: what is kept under it goes when the source has it no longer. */
  readonly id: string;
  /** All that is there now. Looks at each session, and reads none. */
  sessions(signal?: AbortSignal): AsyncIterable<FoundSession> | Iterable<FoundSession>;
  /** One of them, as it is now; undefined where there is none, or telling would take more than a look at it. */
  look?(place: string): FoundSession | undefined;
  /**
   * Reads the header of a session and, if it is wanted, the entries whose lines pass a sieve, in log order: none of
   * several with one id is left out for another. False where all has to be read. Rejects as `read` does.
   */
  sift?(session: FoundSession, sieve: Sieve, taker: SiftTaker): boolean;
  /** What comes of all that a session holds, told by heads. Throws what `read` rejects with. */
  heads?<T>(session: FoundSession, use: (session: SessionHeads) => T): T;
  /**
   * What a session holds that was not read yet, in log order and in pieces that fit into memory. `since` is the mark of
   * a piece handed out before; where the session was not only added to, the first piece is `fresh`. The last piece may
   * be empty. Rejects with what opening the session rejects with.
   */
  read(session: FoundSession, since: string | undefined): AsyncIterable<SessionPiece> | Iterable<SessionPiece>;
}

export interface SiftTaker {
  /** Without it any session is wanted. */
  readonly wants?: (header: SessionHeader) => boolean;
  /** `position` as the head has it. False: that is enough. */
  take(entry: SessionTreeEntry, position: Position): boolean;
}

export interface SessionHeads {
  readonly header: SessionHeader;
  /** In log order. Of a message that another entry hangs from, whether it can be used was not looked at. */
  readonly heads: readonly EntryHead[];
  /** The entries of some of them, in this order, as long as the session is in use. */
  read(positions: readonly Position[]): readonly SessionTreeEntry[];
}

export interface FoundSession {
  /** Names the session within its source: a path, or an id. */
  readonly place: string;
  readonly path?: string;
  /** Equal stamps mean: nothing changed. */
  readonly stamp: string;
  /** Of the last change; stands in where a session tells no time. */
  readonly time: Date;
  /** Why it, or all that lies in the folder `place`, can't be looked at. */
  readonly error?: unknown;
}

export interface SessionPiece {
  readonly kind: "fresh" | "more";
  readonly header: SessionHeader;
  readonly records: readonly SourceRecord[];
  /** Of the session as it was when reading began: with the last piece, all of that was handed out. */
  readonly stamp: string;
  /** Where the next piece begins, with all that is needed to read it. */
  readonly mark: string;
  /** What is wrong at the end of the session as long as it is the end. */
  readonly tail: readonly DiagnosticCode[];
  /** About how much memory the records take. */
  readonly bytes: number;
}

/** What one record of a session says: an entry, damage, or both. */
export interface SourceRecord {
  readonly entry?: SessionTreeEntry;
  readonly damage: readonly DiagnosticCode[];
}
