import { cwdMatcher } from "../storage/jsonl/project-folder.ts";
import type { Branches } from "./branches.ts";
import { type Match, type Stretch, storedMatches } from "./candidates.ts";
import type { CatalogSession } from "./catalog-session.ts";
import { decodedCursor, encodedCursor } from "./cursor.ts";
import type { CatalogDatabase } from "./database.ts";
import { branchesOf } from "./look.ts";
import { lookupOf } from "./lookup.ts";
import { type Finder, finderOf, type Place, scorerOf } from "./matching.ts";
import { PatternSearch, type Patterns, patternsOf } from "./pattern-search.ts";
import { isWithin } from "./place-filter.ts";
import { parseQuery, type Query } from "./query.ts";
import { readMatches } from "./read-matches.ts";
import { showable, snippetOf } from "./snippet.ts";
import type { CatalogSource } from "./source.ts";

export interface SearchOptions {
  /** Only sessions of this working directory. */
  readonly cwd?: string;
  /** Only sessions of the source with this name. */
  readonly source?: string;
  /** Hits a page; 20 unless given. */
  readonly limit?: number;
  /** Where the page before ended. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds that patterns may take; two seconds unless given. */
  readonly patternBudget?: number;
}

export interface SearchResult {
  /** Best first. Hits are ranked among some hundreds of the newest; those of later pages are older. */
  readonly hits: readonly SearchHit[];
  /** There may be more. */
  readonly cursor?: string;
  readonly flags: readonly SearchFlag[];
}

/**
 * `search_timeout`: patterns took too long, these are the hits so far. `scan_limit`: the index could not help and much was
 * looked at; the cursor goes on. `invalid_pattern`: what follows `re:` is no pattern, so nothing fits it.
 */
export type SearchFlag = "search_timeout" | "scan_limit" | "invalid_pattern";

export interface SearchHit {
  readonly sessionId: string;
  readonly path?: string;
  readonly source: string;
  readonly sessionName?: string;
  readonly entryId: string;
  readonly snippet: string;
  /** What was asked for in `snippet`, as ranges. */
  readonly marks: readonly Place[];
  /** More is better; comparable within one search. */
  readonly rank: number;
  /** The leaves of the branches that hold the entry. */
  readonly branches: readonly string[];
}

const usualLimit = 20;
const usualBudget = 2000;
/** How many hits are ranked with each other, at least. */
const rankedTogether = 256;
/** The same where no index helps to find them. */
const scannedTogether = 64;
/** Of text that is looked at for one page. */
const scanLimit = 96 << 20;

interface Asked {
  readonly query: Query;
  readonly patterns: Patterns;
  readonly finders: readonly Finder[];
}

export async function searchCatalog(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  text: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const query = parseQuery(text);
  if (query.all.length === 0 && query.none.length === 0) return { hits: [], flags: [] };
  const patterns = patternsOf(query);
  if (!patterns) return { hits: [], flags: ["invalid_pattern"] };
  const finders = query.all.flatMap((condition) => (condition.kind === "words" ? [finderOf(condition.words)] : []));
  return await new Search(database, sources, options).run({ query, patterns, finders });
}

interface PlacedMatch extends Match {
  /** Where a pattern fits. */
  readonly at?: Place;
}

class Search {
  readonly #database: CatalogDatabase;
  readonly #sources: readonly CatalogSource[];
  readonly #options: SearchOptions;

  constructor(database: CatalogDatabase, sources: readonly CatalogSource[], options: SearchOptions) {
    this.#database = database;
    this.#sources = sources.filter(({ name }) => options.source === undefined || name === options.source);
    this.#options = options;
  }

  async run(asked: Asked): Promise<SearchResult> {
    const { limit = usualLimit, cursor } = this.#options;
    const together = lookupOf(asked.query) ? rankedTogether : scannedTogether;
    const start = { before: this.#end(), skip: 0, together: Math.max(together, limit) };
    const { before, skip, together: enough } = decodedCursor<Cursor>(cursor) ?? start;
    const { matches, next, flags } = await this.#collect(asked, before, enough);
    matches.sort((a, b) => b.score - a.score || b.key - a.key);
    const hits = this.#hitsOf(matches.slice(skip, skip + limit), asked);
    const following =
      skip + limit < matches.length
        ? { before, skip: skip + limit, together: enough }
        : next !== undefined && { before: next, skip: 0, together: enough };
    return { hits, ...(following && { cursor: encodedCursor(following) }), flags };
  }

  async #collect(asked: Asked, before: number, enough: number): Promise<Collected> {
    const { patterns } = asked;
    if (patterns.wanted.length + patterns.unwanted.length === 0)
      return await this.#collectWith(undefined, asked, before, enough);
    const tester = new PatternSearch(patterns, this.#options.patternBudget ?? usualBudget);
    try {
      return await this.#collectWith(tester, asked, before, enough);
    } finally {
      await tester[Symbol.asyncDispose]();
    }
  }

  async #collectWith(
    tester: PatternSearch | undefined,
    asked: Asked,
    before: number,
    enough: number,
  ): Promise<Collected> {
    const { signal } = this.#options;
    const matches: PlacedMatch[] = [];
    let length = 0;
    for await (const stretch of this.#stretches(asked, before)) {
      signal?.throwIfAborted();
      const fitting = tester ? await tried(stretch.matches, tester) : stretch.matches;
      if (!fitting) return { matches, next: undefined, flags: ["search_timeout"] };
      matches.push(...fitting);
      length += stretch.length;
      if (!this.#database.keepsText) continue;
      if (matches.length >= enough) return { matches, next: stretch.next, flags: [] };
      if (length >= scanLimit && stretch.next !== undefined)
        return { matches, next: stretch.next, flags: ["scan_limit"] };
    }
    return { matches, next: undefined, flags: [] };
  }

  #stretches({ query }: Asked, before: number): AsyncIterable<Stretch> | Iterable<Stretch> {
    const asked = { query, scorer: scorerOf(query), sessions: this.#sessionKeys(query) };
    if (this.#database.keepsText) return storedMatches(this.#database, asked, before);
    return readMatches(this.#database, this.#sources, asked);
  }

  #end(): number {
    return (this.#database.row<{ key: number | null }>("SELECT max(key) AS key FROM entry")?.key ?? 0) + 1;
  }

  /** A JSON array; undefined if all sessions in the catalog are wanted. */
  #sessionKeys({ all, none }: Query): string | undefined {
    const { cwd } = this.#options;
    const sources = JSON.stringify(this.#sources.map(({ id }) => id));
    const isNarrow = cwd !== undefined || [...all, ...none].some(({ kind }) => kind === "in");
    if (!isNarrow && !this.#hasOthersThan(sources)) return undefined;
    const isWanted = cwd === undefined ? undefined : cwdMatcher(cwd);
    const inside = all.flatMap((condition) => (condition.kind === "in" ? condition.value : []));
    const outside = none.flatMap((condition) => (condition.kind === "in" ? condition.value : []));
    const rows = this.#database.rows<{ key: number; place: string; cwd: string }>(
      "SELECT key, place, cwd FROM session WHERE id IS NOT NULL AND source IN (SELECT value FROM json_each(?))",
      sources,
    );
    const fitting = rows.filter((session) => {
      if (isWanted && !isWanted(session.cwd)) return false;
      const lies = (path: string) => isWithin(session.cwd, path) || isWithin(session.place, path);
      return inside.every(lies) && !outside.some(lies);
    });
    return JSON.stringify(fitting.map(({ key }) => key));
  }

  #hasOthersThan(sources: string): boolean {
    const others = "SELECT 1 FROM session WHERE source NOT IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.#database.row(others, sources) !== undefined;
  }

  #hitsOf(matches: readonly PlacedMatch[], { finders }: Asked): SearchHit[] {
    const sessions = new Map<number, { readonly info: CatalogSession; readonly branches: Branches }>();
    return matches.map(({ session: key, id, text, lead, score, at }) => {
      const session = sessions.get(key) ?? this.#session(key);
      sessions.set(key, session);
      const { text: snippet, marks } = snippetOf({ text, lead }, finders, at);
      const { id: sessionId, path, source, name } = session.info;
      return {
        sessionId,
        ...(path !== undefined && { path }),
        source,
        ...(name !== undefined && { sessionName: name }),
        entryId: id,
        ...{ snippet, marks, rank: score },
        branches: session.branches.holding(id),
      };
    });
  }

  #session(key: number): { readonly info: CatalogSession; readonly branches: Branches } {
    const { info } = this.#database.row<{ info: string }>("SELECT info FROM detail WHERE session = ?", key) as {
      info: string;
    };
    return { info: JSON.parse(info), branches: branchesOf(this.#database, key) };
  }
}

interface Cursor {
  /** Hits below this key are ranked together, at least `together` of them, and the first `skip` were shown. */
  readonly before: number;
  readonly skip: number;
  readonly together: number;
}

interface Collected {
  readonly matches: PlacedMatch[];
  readonly next: number | undefined;
  readonly flags: readonly SearchFlag[];
}

/** Undefined once there is no time left. */
async function tried(matches: readonly Match[], tester: PatternSearch): Promise<PlacedMatch[] | undefined> {
  const places = matches.length === 0 ? [] : await tester.places(matches.map(({ text }) => showable(text)));
  if (!places) return undefined;
  return matches.flatMap((match, index) => {
    const at = places[index];
    return at ? [{ ...match, ...(at.end > 0 && { at }) }] : [];
  });
}
