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

/** A database was used that was closed under whoever used it. */
export function isClosedDatabase(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_INVALID_STATE";
}

/** What is in the file is no database, or no longer one. */
export function isCorruption({ errcode }: SqliteFailure): boolean {
  return damaged.has(errcode & 0xff);
}

/** A statement was refused: it is wrong itself, or the tables are not those that it was made for. */
export function isRefusal({ errcode }: SqliteFailure): boolean {
  return (errcode & 0xff) === refused;
}

/** The disk or a quota is full, which systems say in several ways. */
export function lacksRoom({ errcode }: SqliteFailure): boolean {
  return roomless.has(errcode & 0xff);
}

interface SqliteFailure extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode: number;
}

const refused = 1;
const ioError = 10;
const corrupt = 11;
const full = 13;
const notADatabase = 26;

const damaged: ReadonlySet<number> = new Set([corrupt, notADatabase]);
const roomless: ReadonlySet<number> = new Set([ioError, full]);
