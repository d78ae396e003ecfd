import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import type { Leaf } from "../tree/session-tree.ts";
import type { EntryRecord } from "./entry-log.ts";
import type { Program } from "./program.ts";
import type { SerialisedDraft } from "./record.ts";

/**
 * Where a session stands. `tip` is the last entry written, the parent of the next one; `leaf` follows when that entry
 * is as durable as the session promises, and is what reads start from.
 */
export interface Cursor {
  leaf: Leaf;
  tip: Leaf;
}

export interface CursorStep {
  readonly cursor: Cursor;
  readonly from: Leaf;
  readonly to: Leaf;
}

/** What an appender knows when its turn to write has come. */
export interface Turn {
  readonly parentId: Leaf;
  /** The id that the entry will have. */
  readonly id: string;
  /** Where the cursor stood before. */
  readonly left: Leaf;
}

/**
 * Something to write, resolved against the session only when its turn comes. Drafts in it are JSON that nobody else can
 * change, as `jsonCopy` makes it.
 */
export type AppendRequest =
  /** A chain of children at the cursor, written as one batch. */
  | { readonly kind: "drafts"; readonly cursor: Cursor; readonly drafts: readonly SerialisedDraft[] }
  /** The same of what is made up only now: at the cursor, or where `under` says. */
  | {
      readonly kind: "children";
      readonly cursor: Cursor;
      readonly under?: { readonly target: Leaf };
      /** Refused with `leaf_moved` unless the cursor stands there when the turn to write comes. */
      readonly expected?: { readonly leaf: Leaf };
      readonly compose: readonly Composer[];
    }
  /** A mark at the file's leaf; moves nobody. */
  | { readonly kind: "mark"; readonly draft: EntryDraft }
  /** Children and operations in one write. */
  | { readonly kind: "batch"; readonly cursor: Cursor; readonly items: readonly BatchItem[] }
  /** The cursor goes elsewhere; `record` says whether the move is stored. */
  | { readonly kind: "move"; readonly cursor: Cursor; readonly target: Leaf; readonly record: boolean }
  /** Whole entries of a caller: ids and parents are honoured, an id that is there already with equal content is kept. */
  | { readonly kind: "entries"; readonly cursor?: Cursor; readonly entries: readonly SessionTreeEntry[] };

/** An id may have been set aside for it before (`SessionStorage.createEntryId`), so that others could name it. */
export type BatchItem =
  /** The next child in the chain under the leaf. */
  | { readonly kind: "child"; readonly draft: EntryDraft; readonly id?: string }
  /** What a harness is doing: a mark of the type `bough.<name>` at the place the chain has come to. */
  | { readonly kind: "operation"; readonly name: string; readonly data?: unknown; readonly id?: string };

/** Makes a draft of which nobody else can change a part. */
export type Composer = (turn: Turn) => Program<EntryDraft> | EntryDraft;

export type AppendResult = StoredRequest | FailedRequest;

export interface FailedRequest {
  readonly status: "failed";
  readonly error: unknown;
  /** Of entries that may be in the log all the same, in part or unconfirmed. */
  readonly ids: readonly string[];
}

export interface StoredRequest {
  readonly status: "stored";
  /** Of all entries asked for, those that were there already included. */
  readonly ids: readonly string[];
  /** What was written for it. */
  readonly written: readonly EntryRecord[];
  /** What its cursor's leaf is to follow. */
  readonly step: CursorStep | undefined;
}

/** Whether a caller names entries himself, so that another one may have come to have the id. */
export function choosesIds(request: AppendRequest): boolean {
  return request.kind === "entries";
}

/** What the first of its entries will hang from, if that is where its caller stands. */
export function parentOf(request: AppendRequest): Leaf {
  switch (request.kind) {
    case "drafts":
    case "batch":
      return request.cursor.tip;
    case "children":
      return request.under ? null : request.cursor.tip;
    default:
      return null;
  }
}
