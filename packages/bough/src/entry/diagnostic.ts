/** Something wrong in stored data that was reported and survived. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** Line number, the header's being 1; only where it is known. */
  readonly line?: number;
  /** Byte range of the record, end exclusive. */
  readonly byteStart?: number;
  readonly byteEnd?: number;
  readonly entryId?: string;
  readonly message: string;
}

export type DiagnosticCode =
  | "malformed_line"
  | "not_an_object"
  | "invalid_utf8"
  | "damaged_entry"
  | "torn_tail"
  | "nul_tail"
  | "duplicate_id"
  | "orphan"
  | "self_parent"
  | "cycle"
  | "second_header"
  | "unknown_leaf"
  | "unknown_first_kept"
  | "unsupported_version"
  | "state_mismatch"
  | "missing_blob";
