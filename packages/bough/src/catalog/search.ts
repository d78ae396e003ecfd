import { Turns } from "../storage/files/turns.ts";
import type { Match } from "./candidates.ts";
import type { Corpus, SearchedSession } from "./corpus.ts";
import { decodedCursor, encodedCursor } from "./cursor.ts";
import { withoutNul } from "./entry-row.ts";
import { lookupOf } from "./lookup.ts";
import { type Finder, finderOf, type Place, scorerOf } from "./matching.ts";
import { PatternSearch, type Patterns, patternsOf } from "./pattern-search.ts";
import { parseQuery, type Query } from "./query.ts";
import { showable, snippetOf } from "./snippet.ts";

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
 * `search_timeout`: patterns took too long, or a text is too long for them; these are the hits that were found.
 * `scan_limit`: the index could not help and much was looked at; the cursor goes on. `invalid_pattern`: what follows `re:`
 * is no pattern, so nothing fits it.
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

export async function search(corpus: Corpus, text: string, options: SearchOptions): Promise<SearchResult> {
  const query = parseQuery(withoutNul(text));
  if (query.all.length === 0 && query.none.length === 0) return { hits: [], flags: [] };
  const patterns = patternsOf(query);
  if (!patterns) return { hits: [], flags: ["invalid_pattern"] };
  const finders = query.all.flatMap((condition) => (condition.kind === "words" ? [finderOf(condition.words)] : []));
  return await new Search(corpus, options).run({ query, patterns, finders });
}

interface PlacedMatch extends Match {
  /** Where a pattern fits. */
  readonly at?: Place;
}

class Search {
  readonly #corpus: Corpus;
  readonly #options: SearchOptions;

  constructor(corpus: Corpus, options: SearchOptions) {
    this.#corpus = corpus;
    this.#options = options;
  }

  async run(asked: Asked): Promise<SearchResult> {
    const { limit = usualLimit, cursor } = this.#options;
    const together = lookupOf(asked.query) ? rankedTogether : scannedTogether;
    const start = { before: this.#corpus.end, skip: 0, together: Math.max(together, limit) };
    const { before, skip, together: enough } = decodedCursor<Cursor>(cursor) ?? start;
    const { kind } = this.#corpus;
    const { matches, next, flags } = await this.#collect(asked, before, enough);
    matches.sort((a, b) => b.score - a.score || b.key - a.key);
    const hits = await this.#hitsOf(matches.slice(skip, skip + limit), asked);
    const following =
      skip + limit < matches.length
        ? { kind, before, skip: skip + limit, together: enough }
        : next !== undefined && { kind, before: next, skip: 0, together: enough };
    return { hits, ...(following && { cursor: encodedCursor(following) }), flags: [...flags] };
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
    const flags = new Set<SearchFlag>();
    const turns = new Turns();
    let length = 0;
    const { query } = asked;
    for await (const stretch of this.#corpus.stretches({ query, scorer: scorerOf(query) }, before)) {
      if (turns.isOver) await turns.next();
      signal?.throwIfAborted();
      const { fitting, isPart } = tester ? await tried(stretch.matches, tester) : whole(stretch.matches);
      for (const match of fitting) matches.push(match);
      if (isPart || tester?.isOver) flags.add("search_timeout");
      if (tester?.isOver) return { matches, next: undefined, flags };
      length += stretch.length;
      if (matches.length >= enough) return { matches, next: stretch.next, flags };
      if (length >= scanLimit && stretch.next !== undefined)
        return { matches, next: stretch.next, flags: flags.add("scan_limit") };
    }
    return { matches, next: undefined, flags };
  }

  /** Without those whose sessions are gone by now. */
  async #hitsOf(matches: readonly PlacedMatch[], { finders }: Asked): Promise<SearchHit[]> {
    const turns = new Turns();
    const sessions = new Map<number, SearchedSession | undefined>();
    const hits: SearchHit[] = [];
    for (const { session: key, id, text, lead, score, at } of matches) {
      if (turns.isOver) await turns.next();
      if (!sessions.has(key)) sessions.set(key, this.#corpus.session(key));
      const session = sessions.get(key);
      if (!session) continue;
      const { text: snippet, marks } = snippetOf({ text, lead }, finders, at);
      hits.push({
        sessionId: session.id,
        ...(session.path !== undefined && { path: session.path }),
        source: session.source,
        ...(session.name !== undefined && { sessionName: session.name }),
        entryId: id,
        ...{ snippet, marks, rank: score },
        branches: session.holding(id),
      });
    }
    return hits;
  }
}

/** Where the search began that is gone on with. */
export function corpusOf(cursor: string | undefined): Corpus["kind"] | undefined {
  return decodedCursor<Cursor>(cursor)?.kind;
}

interface Cursor {
  readonly kind: Corpus["kind"];
  /** Hits below this position are ranked together, at least `together` of them, and the first `skip` were shown. */
  readonly before: number;
  readonly skip: number;
  readonly together: number;
}

interface Collected {
  readonly matches: PlacedMatch[];
  readonly next: number | undefined;
  readonly flags: ReadonlySet<SearchFlag>;
}

interface TriedMatches {
  readonly fitting: readonly PlacedMatch[];
  /** Some of them could not be tried. */
  readonly isPart: boolean;
}

function whole(fitting: readonly Match[]): TriedMatches {
  return { fitting, isPart: false };
}

async function tried(matches: readonly Match[], tester: PatternSearch): Promise<TriedMatches> {
  const { places, isPart } = await tester.try(matches.map(({ text }) => showable(text)));
  const fitting = matches.flatMap((match, index) => {
    const at = places[index];
    return at ? [{ ...match, ...(at.end > 0 && { at }) }] : [];
  });
  return { fitting, isPart };
}
