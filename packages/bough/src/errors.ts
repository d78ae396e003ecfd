import type { Usage } from "./entry/usage.ts";

/**
 * Everything bough refuses or fails at, and what each refusal carries. Adding a row is the only way to add a code.
 * `docs/errors.md` says when each occurs and what to do; a test compares the two.
 */
export interface ErrorDetails {
  not_found: { readonly what: "session" | "entry" | "label"; readonly id: string };
  already_exists: { readonly what: "session" | "entry" | "file"; readonly id: string };
  ambiguous: { readonly id: string; readonly candidates: readonly string[] };
  invalid_session: { readonly path?: string; readonly reason: string };
  invalid_entry: { readonly field: string; readonly reason: string };
  unknown_parent: { readonly parentId: string };
  invalid_fork_target: { readonly entryId: string; readonly reason: string };
  unsupported_version: { readonly version: unknown; readonly path?: string };
  read_only: { readonly reason: string };
  outside_store: { readonly path: string; readonly store: string };
  session_deleted: { readonly id: string };
  closed: { readonly id: string };
  busy: { readonly id: string; readonly holder?: string };
  storage_full: StorageFailure;
  storage_io: StorageFailure;
  storage_denied: StorageFailure;
  compaction: SummaryFailure;
  branch_summary: SummaryFailure;
  nothing_to_compact: { readonly reason: "all_kept" | "already_compacted" | "empty" };
  leaf_moved: { readonly expected: string | null; readonly actual: string | null };
  hook: { readonly hook: string };
  auth: { readonly provider: string };
  invalid_state: { readonly reason: string };
}

/**
 * What became of the bytes. `not_written`: nothing of the record counts. `unknown`: the record may or may not
 * survive; appending it again under the same id settles it.
 */
export interface StorageFailure {
  readonly operation: string;
  readonly path?: string;
  readonly errno?: string;
  readonly outcome: "not_written" | "unknown";
}

/**
 * Why a summary may not stand for what it was made of: it could not be made, was cut off, calls a tool, has no text, or
 * far too little for so much; `no_gain` if the context would not shrink by it.
 */
export type SummaryFault = "failed" | "truncated" | "tool_call" | "empty" | "stub" | "no_gain";

/**
 * Why there is no summary. A harness has reasons of its own: a hook `cancelled` it, a request the model refuses as too
 * large can't be made to fit (`overflow`), or compacting leaves no room for the next (`no_progress`). `usage` is what the
 * attempt cost all the same; with `no_gain` both sizes are there.
 */
export interface SummaryFailure {
  readonly reason: SummaryFault | "cancelled" | "overflow" | "no_progress";
  readonly usage?: Usage;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

export type ErrorCode = keyof ErrorDetails;

const brand = Symbol.for("bough.error");

/** The world refused, or what was to be stored is no entry. An abort throws `signal.reason` instead. */
export class BoughError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = "BoughError";
  readonly code: C;
  readonly details: ErrorDetails[C];

  constructor(code: C, message: string, details: ErrorDetails[C], options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** A failure of a session, a store or an entry. */
export class SessionError<C extends ErrorCode = ErrorCode> extends BoughError<C> {
  override readonly name: string = "SessionError";
}

export class CompactionError<C extends ErrorCode = ErrorCode> extends BoughError<C> {
  override readonly name: string = "CompactionError";
}

export class BranchSummaryError<C extends ErrorCode = ErrorCode> extends BoughError<C> {
  override readonly name: string = "BranchSummaryError";
}

export class AgentHarnessError<C extends ErrorCode = ErrorCode> extends BoughError<C> {
  override readonly name: string = "AgentHarnessError";
}

/** Recognises errors of another copy of bough too; with a code, narrows `details`. */
export function isBoughError<C extends ErrorCode = ErrorCode>(error: unknown, code?: C): error is BoughError<C> {
  return (
    error instanceof Error && brand in error && (code === undefined || (error as unknown as BoughError).code === code)
  );
}
