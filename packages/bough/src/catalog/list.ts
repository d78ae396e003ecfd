import { basename, dirname } from "node:path";
import type { UnreadableSession } from "../session/session-store.ts";
import { cwdMatcher } from "../storage/files/cwd.ts";
import { nodeFileSystem } from "../storage/files/file-system.ts";
import { realPath } from "../storage/files/real-path.ts";
import { projectFolder } from "../storage/jsonl/project-folder.ts";
import { idInName } from "../storage/jsonl/summary.ts";
import type { CatalogSession, ListedCatalogSession } from "./catalog-session.ts";
import { decodedCursor, encodedCursor } from "./cursor.ts";
import type { CatalogDatabase } from "./database.ts";
import { notedError } from "./error-note.ts";
import { parsedColumn } from "./json-column.ts";
import type { CatalogSource } from "./source.ts";
import { nameOf, type Thread, threadsOf } from "./threads.ts";

export interface CatalogFilter {
  /** Only sessions of this working directory. */
  readonly cwd?: string;
  readonly named?: boolean;
  /** Only sessions in which the user or the model said something since then, or that began since. */
  readonly since?: Date;
  /** Only sessions in which a model with this in its `provider/model` answered, in any case. */
  readonly model?: string;
  /** Only sessions of the source with this name. */
  readonly source?: string;
  /** By last message, by creation, newest first both, or forks under what they were forked from. `recent` unless given. */
  readonly sort?: CatalogSort;
  /** Sessions a page, of those that fit; all unless given. */
  readonly limit?: number;
  /**
   * Where the page before ended. What is added to meanwhile is at the front by then, a thread with all that is in it. What
   * is no cursor throws a `TypeError`.
   */
  readonly cursor?: string;
}

export type CatalogSort = "recent" | "created" | "threaded";

export interface CatalogPage {
  readonly sessions: readonly ListedCatalogSession[];
  /** There are more. */
  readonly cursor?: string;
  /** What should be a session and can't be read; of a project, as far as the folder tells. */
  readonly unreadable: readonly UnreadableSession[];
}

export function listCatalog(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  filter: CatalogFilter,
): CatalogPage {
  return new Listing(database, sources, filter).page();
}

class Listing {
  readonly #database: CatalogDatabase;
  readonly #filter: CatalogFilter;
  readonly #sources: string;
  /** Working directories as the sessions of the project wrote them. */
  readonly #cwds: readonly string[] | undefined;

  constructor(database: CatalogDatabase, sources: readonly CatalogSource[], filter: CatalogFilter) {
    this.#database = database;
    this.#filter = filter;
    const named = sources.filter(({ name }) => filter.source === undefined || name === filter.source);
    this.#sources = JSON.stringify(named.map(({ id }) => id));
    this.#cwds = filter.cwd === undefined ? undefined : this.#spellingsOf(filter.cwd);
  }

  page(): CatalogPage {
    const { sessions, cursor } = this.#filter.sort === "threaded" ? this.#threadedPage() : this.#plainPage();
    return { sessions, ...(cursor !== undefined && { cursor }), unreadable: this.#unreadable() };
  }

  #plainPage(): Omit<CatalogPage, "unreadable"> {
    const { sort = "recent", limit, cursor } = this.#filter;
    const column = sort === "created" ? "created" : "modified";
    const after = decodedCursor<PlainCursor>(cursor);
    const { where, values } = this.#conditions();
    if (after) {
      where.push(`(${column}, id, key) < (?, ?, ?)`);
      values.push(after.time, after.id, after.key);
    }
    const rows = this.#database.rows<Row>(
      `SELECT key, id, ${column} AS time, info FROM session JOIN detail ON detail.session = key WHERE ${where.join(" AND ")}
       ORDER BY ${column} DESC, id DESC, key DESC LIMIT ?`,
      ...values,
      limit === undefined ? -1 : limit + 1,
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const following =
      rows.length > shown.length && last ? encodedCursor({ time: last.time, id: last.id, key: last.key }) : undefined;
    const sessions = shown.map(({ info }) => Object.assign(parsedColumn<CatalogSession>(info), { depth: 0 }));
    return { sessions, ...(following !== undefined && { cursor: following }) };
  }

  /** All that fits has to be looked at, since what is new below moves what is above it. */
  #threadedPage(): Omit<CatalogPage, "unreadable"> {
    const { limit, cursor } = this.#filter;
    const { where, values } = this.#conditions();
    const rows = this.#database.rows<Row>(
      `SELECT info FROM session JOIN detail ON detail.session = key WHERE ${where.join(" AND ")}`,
      ...values,
    );
    const threads = threadsOf(
      rows.map(({ info }) => parsedColumn<CatalogSession>(info)),
      realPathOf,
    );
    const after = decodedCursor<ThreadedCursor>(cursor);
    const left = threads.flatMap((thread) => sessionsBehind(after, thread).map((session) => ({ session, thread })));
    const shown = left.slice(0, limit);
    const last = left.length > shown.length ? shown.at(-1)?.thread : undefined;
    const sessions = shown.map(({ session }) => session);
    if (!last) return { sessions };
    const names = shown.filter(({ thread }) => thread === last).map(({ session }) => nameOf(session));
    const before = after?.name === last.name ? after.shown : [];
    return {
      sessions,
      cursor: encodedCursor({ modified: last.modified, name: last.name, shown: [...before, ...names] }),
    };
  }

  #conditions(): { readonly where: string[]; readonly values: (string | number)[] } {
    const { named, since, model } = this.#filter;
    const where = ["error IS NULL", "id IS NOT NULL", "+source IN (SELECT value FROM json_each(?))"];
    const values: (string | number)[] = [this.#sources];
    const add = (condition: string, value: string | number) => {
      where.push(condition);
      values.push(value);
    };
    if (this.#cwds) add("cwd IN (SELECT value FROM json_each(?))", JSON.stringify(this.#cwds));
    if (named) where.push("name IS NOT NULL");
    if (since) add("modified >= ?", since.getTime());
    if (model !== undefined) add("instr(models, ?) > 0", model.toLowerCase());
    return { where, values };
  }

  #spellingsOf(cwd: string): string[] {
    const isSame = cwdMatcher(cwd);
    const rows = this.#database.rows<{ cwd: string }>("SELECT DISTINCT cwd FROM session WHERE cwd IS NOT NULL");
    return rows.map((row) => row.cwd).filter(isSame);
  }

  #unreadable(): UnreadableSession[] {
    const rows = this.#database.rows<{ place: string; error: string }>(
      `SELECT place, error FROM session WHERE error IS NOT NULL AND source IN (SELECT value FROM json_each(?))
       ORDER BY place`,
      this.#sources,
    );
    const belongs = rows.length > 0 && this.#cwds ? this.#folderFilter(this.#cwds) : () => true;
    return rows
      .filter(({ place }) => belongs(place) || belongs(dirname(place)))
      .map(({ place, error }) => {
        const id = idInName(place);
        return { status: "unreadable", ...(id !== undefined && { id }), path: place, error: notedError(error) };
      });
  }

  /** What can't be read counts to a project where it stands among the project's sessions. */
  #folderFilter(cwds: readonly string[]): (folder: string) => boolean {
    const rows = this.#database.rows<{ place: string }>(
      "SELECT place FROM session WHERE error IS NULL AND cwd IN (SELECT value FROM json_each(?))",
      JSON.stringify(cwds),
    );
    const folders = new Set(rows.map(({ place }) => dirname(place)));
    const own = this.#filter.cwd === undefined ? undefined : projectFolder(this.#filter.cwd);
    return (folder) => folders.has(folder) || basename(folder) === own;
  }
}

function realPathOf(path: string): string {
  return realPath(path, nodeFileSystem);
}

interface Row {
  readonly key: number;
  readonly id: string;
  readonly time: number;
  readonly info: string;
}

/** What a page leaves of a thread: of that it ended in what it lacks, wherever that stands by now. */
function sessionsBehind(after: ThreadedCursor | undefined, thread: Thread): readonly ListedCatalogSession[] {
  if (!after) return thread.sessions;
  if (thread.name === after.name) return thread.sessions.filter((session) => !after.shown.includes(nameOf(session)));
  const isOlder = thread.modified < after.modified || (thread.modified === after.modified && thread.name < after.name);
  return isOlder ? thread.sessions : [];
}

interface ThreadedCursor {
  readonly modified: string;
  readonly name: string;
  /** Of this thread. */
  readonly shown: readonly string[];
}

interface PlainCursor {
  readonly time: number;
  readonly id: string;
  readonly key: number;
}
