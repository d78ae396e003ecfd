import { SessionError, type StorageFailure } from "../../errors.ts";

type StorageCode = "storage_full" | "storage_denied" | "storage_io";

const codes: ReadonlyMap<string, StorageCode> = new Map([
  ["ENOSPC", "storage_full"],
  ["EDQUOT", "storage_full"],
  ["EFBIG", "storage_full"],
  ["EACCES", "storage_denied"],
  ["EPERM", "storage_denied"],
  ["EROFS", "storage_denied"],
]);

/** What a failed call of the file system means to a session. Errors that already say so pass through unchanged. */
export function storageError(
  cause: unknown,
  failed: { readonly operation: string; readonly path: string; readonly outcome?: StorageFailure["outcome"] },
): SessionError {
  if (cause instanceof SessionError) return cause;
  const errno = errnoOf(cause);
  const code = codes.get(errno ?? "") ?? "storage_io";
  const details: StorageFailure = {
    operation: failed.operation,
    path: failed.path,
    ...(errno !== undefined && { errno }),
    outcome: failed.outcome ?? "not_written",
  };
  return new SessionError(code, `${failed.operation} of ${failed.path} failed${errno ? ` (${errno})` : ""}`, details, {
    cause,
  });
}

/** A write that took some of its bytes only: on a regular file there was no room for the rest. */
export function shortWrite(path: string, outcome: StorageFailure["outcome"]): SessionError {
  return new SessionError("storage_full", `${path} took only a part of a write`, {
    operation: "append",
    path,
    outcome,
  });
}

/** Nothing is at the path any more. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}

export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
