import { nodeFs } from "../storage/files/node-modules.ts";
import { CatalogDatabase, isDatabaseFailure } from "./database.ts";
import { type CatalogFilter, type CatalogPage, listCatalog } from "./list.ts";
import { type CountedSession, lookUp } from "./look.ts";
import { ReadCorpus } from "./read-corpus.ts";
import { corpusOf, type SearchOptions, type SearchResult, search } from "./search.ts";
import type { CatalogSource } from "./source.ts";
import { StoredCorpus } from "./stored-corpus.ts";
import { bringUpToDate, isFilled, isTextIndexed, type UpdateOptions } from "./updating.ts";

export interface CatalogOptions {
  /** Made when there is something to keep, with what SQLite puts beside it. Without one, what is known stays in memory. */
  readonly file?: string;
  readonly sources: readonly CatalogSource[];
}

/**
 * What is known of many sessions, so that they can be listed and searched without being read. All of it is derived from
 * the sources: a catalog that is missing, damaged or of another version is made anew, and where none can be kept lists and
 * searches read the sessions. Any number of processes may use one file.
 */
export class Catalog implements Disposable {
  readonly #file: string | undefined;
  readonly #sources: readonly CatalogSource[];
  #database: CatalogDatabase | undefined;
  #users = 0;
  #isLeft = false;

  /** Touches nothing yet. */
  static open({ file, sources }: CatalogOptions): Catalog {
    return new Catalog(file, sources);
  }

  private constructor(file: string | undefined, sources: readonly CatalogSource[]) {
    this.#file = file;
    this.#sources = sources;
  }

  /**
   * Takes in what has changed since it was last done by whomever: one look at each session, and of those that changed
   * what is new. Rejects with the signal's reason; what was taken in by then stays.
   */
  async update(options: UpdateOptions = {}): Promise<void> {
    await this.#use((database) => bringUpToDate(database, this.#sources, options));
  }

  /** Whether it has a file that keeps what an update takes in. Makes none. */
  async isKept(): Promise<boolean> {
    return this.#isThere && (await this.#use(async (database) => database.keepsText));
  }

  /** Whether sessions are kept in its file, so that to bring it up to date costs no more than what it lacks. Makes none. */
  async holdsSessions(): Promise<boolean> {
    if (!(await this.isKept())) return false;
    return await this.#use(async (database) => database.row("SELECT 1 FROM session LIMIT 1") !== undefined);
  }

  /**
   * All that is known of one session, by its place (of a file: the real path), if it was taken in and has not changed
   * since: one look at it tells. Brings nothing up to date, and makes no catalog.
   */
  async look(place: string): Promise<CountedSession | undefined> {
    if (!this.#isThere) return undefined;
    return await this.#use(async (database) => lookUp(database, this.#sources, place));
  }

  /** As of the last update, whatever happened since; sources that nobody has taken in yet are taken in first. */
  async list(filter: CatalogFilter = {}): Promise<CatalogPage> {
    return await this.#use(async (database) => {
      const lacking = this.#sources.filter((source) => !isFilled(database, source));
      if (lacking.length > 0) await bringUpToDate(database, lacking, { textIndex: false });
      return listCatalog(database, this.#sources, filter);
    });
  }

  /**
   * Entries that fit a query (see `parseQuery`), by the text index, as of the last update. As long as that index lacks
   * anything, or where none is kept, the sessions are read, as they are now. Later pages come from where the first did.
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { cwd, source, signal, cursor } = options;
    const sources = this.#sources.filter(({ name }) => source === undefined || name === source);
    const read = () => search(new ReadCorpus(sources, { cwd, signal }), query, options);
    const began = corpusOf(cursor);
    if (!this.#isThere || began === "read") return await read();
    return await this.#use(async (database) => {
      const isStored = began === "stored" ? database.keepsText : isTextIndexed(database, sources);
      return isStored ? await search(new StoredCorpus(database, sources, cwd), query, options) : await read();
    });
  }

  /** Once what is under way is done. Idempotent; what is asked afterwards opens it again. */
  close(): void {
    this.#isLeft = true;
    if (this.#users > 0) return;
    this.#database?.close();
    this.#database = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  get #isThere(): boolean {
    return this.#database !== undefined || (this.#file !== undefined && nodeFs.existsSync(this.#file));
  }

  async #use<T>(work: (database: CatalogDatabase) => Promise<T>): Promise<T> {
    this.#users++;
    this.#isLeft = false;
    try {
      return await this.#untilDone(work);
    } finally {
      this.#users--;
      if (this.#isLeft) this.close();
    }
  }

  /** Does `work` again, on what can be had instead, when the database fails under it. */
  async #untilDone<T>(work: (database: CatalogDatabase) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      const database = await this.#opened();
      try {
        return await work(database);
      } catch (error) {
        if (failures === maxFailures || !this.#isRecovered(database, error)) throw error;
      }
    }
  }

  /** Who else works with it may have seen to it already. */
  #isRecovered(database: CatalogDatabase, error: unknown): boolean {
    if (this.#database !== database) return isDatabaseFailure(error);
    const next = database.recovered(error);
    if (next) this.#database = next;
    return next !== undefined;
  }

  /** Where there is nothing to keep, nothing is made. */
  async #opened(): Promise<CatalogDatabase> {
    const isWorthwhile = this.#file !== undefined && (this.#isThere || (await this.#hasSessions()));
    this.#database ??= CatalogDatabase.open(isWorthwhile ? this.#file : undefined);
    return this.#database;
  }

  async #hasSessions(): Promise<boolean> {
    for (const source of this.#sources) for await (const _ of source.sessions()) return true;
    return false;
  }
}

const maxFailures = 4;
