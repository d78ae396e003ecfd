import type * as sqlite from "node:sqlite";
import { SessionError } from "../errors.ts";

/**
 * `node:sqlite` when it is first needed, without the notice that it is experimental, which is no user's concern. Throws
 * `invalid_state` where Node was built without it.
 */
export function loadSqlite(): typeof sqlite {
  const { emitWarning } = process;
  const others = (warning: string | Error, ...rest: unknown[]) => {
    if (/SQLite is an experimental feature/.test(String(warning))) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.emitWarning = others as typeof emitWarning;
  try {
    const loaded = process.getBuiltinModule("node:sqlite");
    if (loaded) return loaded;
    throw new SessionError("invalid_state", "This Node has no SQLite", { reason: "no_sqlite" });
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function isSqliteError(error: unknown): error is SqliteFailure {
  return error instanceof Error && (error as Partial<SqliteFailure>).code === "ERR_SQLITE_ERROR";
}

/** What is in the file is no database, or no longer one. */
export function isCorruption({ errcode }: SqliteFailure): boolean {
  return damaged.has(errcode & 0xff);
}

interface SqliteFailure extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode: number;
}

const generalError = 1;
const corrupt = 11;
const notADatabase = 26;

/** A general error is what statements get whose tables somebody took away. */
const damaged: ReadonlySet<number> = new Set([generalError, corrupt, notADatabase]);
