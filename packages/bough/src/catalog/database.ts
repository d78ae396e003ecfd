import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { nodeFs } from "../storage/files/node-modules.ts";
import { schema, schemaVersion } from "./schema.ts";
import { isCorruption, isSqliteError, loadSqlite } from "./sqlite.ts";

/** How long a process waits for another one that writes; what is written at once takes milliseconds. */
const patience = 10_000;

/**
 * The file a catalog is kept in. As all in it is derived, nothing that is wrong with it is an error: what is no catalog
 * of this version is emptied, what is no database is made anew, and where none can be kept one in memory stands in, which
 * keeps no text.
 */
export class CatalogDatabase {
  readonly #file: string | undefined;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Whether it was brought up to date since it was empty. */
  isFilled: boolean;

  static open(file: string | undefined): CatalogDatabase {
    if (file === undefined) return new CatalogDatabase(undefined);
    try {
      return new CatalogDatabase(file);
    } catch (error) {
      if (!isSqliteError(error) && !isFileError(error)) throw error;
      return isSqliteError(error) && isCorruption(error) ? CatalogDatabase.#anew(file) : new CatalogDatabase(undefined);
    }
  }

  static #anew(file: string): CatalogDatabase {
    try {
      for (const suffix of ["", "-wal", "-shm", "-journal"]) nodeFs.rmSync(file + suffix, { force: true });
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
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000; PRAGMA trusted_schema = OFF",
      );
      this.isFilled = this.#hasSchema();
      if (!this.isFilled) this.transaction(() => this.#makeSchema());
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** A catalog in memory holds what lists need; what search needs is read from the sessions. */
  get keepsText(): boolean {
    return this.#file !== undefined;
  }

  /** What to go on with after a statement failed; undefined if this is the last resort already. */
  recovered(error: unknown): CatalogDatabase | undefined {
    if (!isSqliteError(error) || this.#file === undefined) return undefined;
    this.close();
    return isCorruption(error) ? CatalogDatabase.#anew(this.#file) : new CatalogDatabase(undefined);
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
