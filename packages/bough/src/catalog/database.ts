import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { nodeFs } from "../storage/files/node-modules.ts";
import { SpoiltColumn } from "./json-column.ts";
import { schema, schemaVersion } from "./schema.ts";
import { isClosedDatabase, isCorruption, isRefusal, isSqliteError, lacksRoom, loadSqlite } from "./sqlite.ts";

/** How long a process waits for another one that writes; what is written at once takes milliseconds. */
const patience = 10_000;

/** What is destroyed must not be readable in what the file has no use for any more; updates take a thirtieth longer. */
const scrubbing = "PRAGMA secure_delete = ON";

/**
 * The file a catalog is kept in. As all in it is derived, nothing that is wrong with it is an error: what is no catalog
 * of this version is emptied, what is no database is made anew, and where none can be kept one in memory stands in, which
 * keeps no text.
 */
export class CatalogDatabase {
  readonly #file: string | undefined;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  static open(file: string | undefined): CatalogDatabase {
    if (file === undefined) return new CatalogDatabase(undefined);
    const wasThere = nodeFs.existsSync(file);
    try {
      return new CatalogDatabase(file);
    } catch (error) {
      if (!isSqliteError(error) && !isFileError(error)) throw error;
      if (isSqliteError(error) && (isCorruption(error) || isRefusal(error))) return CatalogDatabase.#anew(file);
      if (!wasThere) removeDatabase(file);
      return new CatalogDatabase(undefined);
    }
  }

  static #anew(file: string): CatalogDatabase {
    try {
      removeDatabase(file);
      return new CatalogDatabase(file);
    } catch (error) {
      if (!isSqliteError(error) && !isFileError(error)) throw error;
      return new CatalogDatabase(undefined);
    }
  }

  private constructor(file: string | undefined) {
    const { DatabaseSync } = loadSqlite();
    if (file !== undefined) makePrivate(file);
    this.#file = file;
    this.#connection = new DatabaseSync(file ?? ":memory:", { timeout: patience });
    try {
      this.#connection.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000; PRAGMA trusted_schema = OFF; ${scrubbing}`,
      );
      if (!this.#hasSchema()) this.transaction(() => this.#makeSchema());
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** A catalog in memory holds what lists need; what search needs is read from the sessions. */
  get keepsText(): boolean {
    return this.#file !== undefined;
  }

  /** What to go on with after this failed; undefined if the failure is not the database's, or nothing else can be had. */
  recovered(error: unknown): CatalogDatabase | undefined {
    const file = this.#file;
    if (file === undefined || !isDatabaseFailure(error)) return undefined;
    if (this.#isDamage(error)) {
      this.close();
      return CatalogDatabase.#anew(file);
    }
    if (isSqliteError(error) && isRefusal(error)) return undefined;
    if (isSqliteError(error) && lacksRoom(error)) this.#giveBack(file);
    this.close();
    return new CatalogDatabase(undefined);
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).lastInsertRowid);
  }

  /** The columns are what the statement says, so the caller names the type. */
  row<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  rows<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** One row after the other; whoever stops early sees no more of the table than that. */
  *each<Row>(sql: string, ...values: SQLInputValue[]): Generator<Row, undefined> {
    for (const row of this.#prepared(sql).iterate(...values)) yield row as Row;
  }

  /** All of `work` or nothing, and nobody else's writes in between. */
  transaction<T>(work: () => T): T {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  /** Puts the log of what was written where it belongs, unless someone else reads from it now. What was deleted is gone then. */
  emptyLog(): void {
    this.#connection.exec("PRAGMA busy_timeout = 0");
    try {
      this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      this.#connection.exec(`PRAGMA busy_timeout = ${patience}`);
    }
  }

  /** Idempotent. */
  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #isDamage(error: unknown): boolean {
    if (error instanceof SpoiltColumn) return true;
    return isSqliteError(error) && (isCorruption(error) || (isRefusal(error) && !this.#isIntact()));
  }

  /** Whether the tables are those that were made, and the indexes answer. */
  #isIntact(): boolean {
    const fresh = new CatalogDatabase(undefined);
    try {
      if (JSON.stringify(this.rows(selectSchema)) !== JSON.stringify(fresh.rows(selectSchema))) return false;
      for (const index of ["found", "phrases"]) this.row(`SELECT 1 FROM ${index} WHERE ${index} MATCH 'abc' LIMIT 1`);
      return true;
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      return false;
    } finally {
      fresh.close();
    }
  }

  /** Takes no more room than before it ran out of it, and none with what holds no source whole or can't be completed. */
  #giveBack(file: string): void {
    try {
      this.emptyLog();
      if (this.row("SELECT 1 FROM filled LIMIT 1") !== undefined) return;
    } catch (error) {
      if (!isSqliteError(error)) throw error;
    }
    this.close();
    removeDatabase(file);
  }

  #hasSchema(): boolean {
    const { user_version: version } = this.#connection.prepare("PRAGMA user_version").get() as { user_version: number };
    return version === schemaVersion;
  }

  /** Another process may have made it since the caller looked. */
  #makeSchema(): void {
    if (this.#hasSchema()) return;
    const tables = this.#connection
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .all() as { name: string }[];
    for (const { name } of tables) this.#connection.exec(`DROP TABLE IF EXISTS "${name.replaceAll('"', '""')}"`);
    this.#connection.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`);
  }
}

const selectSchema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name";

/** Nothing that is wrong with the database is the caller's concern, or that it was closed to be made anew. */
export function isDatabaseFailure(error: unknown): boolean {
  return isSqliteError(error) || isClosedDatabase(error) || error instanceof SpoiltColumn;
}

/** As much of it as can be. */
function removeDatabase(file: string): void {
  try {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) nodeFs.rmSync(file + suffix, { force: true });
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** What SQLite makes beside the file gets the file's mode. */
function makePrivate(file: string): void {
  nodeFs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fd = nodeFs.openSync(file, nodeFs.constants.O_RDWR | nodeFs.constants.O_CREAT, 0o600);
  try {
    if ((nodeFs.fstatSync(fd).mode & 0o077) !== 0) nodeFs.fchmodSync(fd, 0o600);
  } finally {
    nodeFs.closeSync(fd);
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === "number";
}
