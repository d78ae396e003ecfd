import { type ErrorCode, type ErrorDetails, isBoughError, SessionError } from "../errors.ts";
import { parsedColumn } from "./json-column.ts";

/** Why a session can't be read, as it is kept; lasting if it will be so until the session changes. */
export function errorNote(error: unknown): { readonly note: string; readonly isLasting: boolean } {
  const known = isBoughError(error) ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const note = JSON.stringify({ code: known?.code ?? "storage_io", message, details: known?.details });
  return { note, isLasting: known?.code === "invalid_session" || known?.code === "unsupported_version" };
}

interface NotedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails[ErrorCode];
}

export function notedError(note: string): SessionError {
  const { code, message, details } = parsedColumn<NotedError>(note);
  return new SessionError(code, message, details ?? { operation: "read", outcome: "not_written" });
}
