import type { Stretch, Wanted } from "./candidates.ts";

/** What is searched: entries of many sessions, of which the newest come first. */
export interface Corpus {
  /** Whose positions they are. */
  readonly kind: "read" | "stored";
  /** Behind all there is. */
  readonly end: number;
  /** What fits below `before`, which is `end` or where another stretch said to go on. */
  stretches(wanted: Wanted, before: number): Iterable<Stretch> | AsyncIterable<Stretch>;
  /** The session of a match, by its key; undefined if it has gone since. */
  session(key: number): SearchedSession | undefined;
}

export interface SearchedSession {
  readonly id: string;
  readonly path?: string;
  readonly source: string;
  readonly name?: string;
  /** The leaves of the branches that hold an entry. */
  holding(id: string): readonly string[];
}
