import { type Stretch, storedMatches, type Wanted } from "./candidates.ts";
import type { CatalogSession } from "./catalog-session.ts";
import type { Corpus, SearchedSession } from "./corpus.ts";
import type { CatalogDatabase } from "./database.ts";
import { parsedColumn } from "./json-column.ts";
import { branchesOf } from "./look.ts";
import type { Query } from "./query.ts";
import { sessionFilterOf } from "./session-filter.ts";
import type { CatalogSource } from "./source.ts";

/** What a catalog keeps of the texts of these sources; positions are the keys of entries. */
export class StoredCorpus implements Corpus {
  readonly kind = "stored";
  readonly #database: CatalogDatabase;
  readonly #sources: string;
  readonly #cwd: string | undefined;

  constructor(database: CatalogDatabase, sources: readonly CatalogSource[], cwd: string | undefined) {
    this.#database = database;
    this.#sources = JSON.stringify(sources.map(({ id }) => id));
    this.#cwd = cwd;
  }

  get end(): number {
    return (this.#database.row<{ key: number | null }>("SELECT max(key) AS key FROM entry")?.key ?? 0) + 1;
  }

  stretches(wanted: Wanted, before: number): Iterable<Stretch> {
    return storedMatches(this.#database, { ...wanted, sessions: this.#sessionKeys(wanted.query) }, before);
  }

  session(key: number): SearchedSession | undefined {
    const row = this.#database.row<{ info: string }>("SELECT info FROM detail WHERE session = ?", key);
    if (!row) return undefined;
    const info = parsedColumn<CatalogSession>(row.info);
    const branches = branchesOf(this.#database, key);
    return Object.assign(info, { holding: (id: string) => branches.holding(id) });
  }

  /** A JSON array; undefined if all sessions in the catalog are wanted. */
  #sessionKeys(query: Query): string | undefined {
    const isWanted = sessionFilterOf(query, this.#cwd);
    if (!isWanted && !this.#hasOthers()) return undefined;
    const rows = this.#database.rows<{ key: number; place: string; cwd: string }>(
      "SELECT key, place, cwd FROM session WHERE id IS NOT NULL AND source IN (SELECT value FROM json_each(?))",
      this.#sources,
    );
    return JSON.stringify(rows.filter(({ cwd, place }) => isWanted?.(cwd, place) ?? true).map(({ key }) => key));
  }

  #hasOthers(): boolean {
    const others = "SELECT 1 FROM session WHERE source NOT IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.#database.row(others, this.#sources) !== undefined;
  }
}
