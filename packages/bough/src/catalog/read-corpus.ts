import { Turns } from "../storage/files/turns.ts";
import { Branches } from "./branches.ts";
import type { Match, Stretch, Wanted } from "./candidates.ts";
import type { Corpus, SearchedSession } from "./corpus.ts";
import { type ReadSession, readSession, type SessionOfSource } from "./read-session.ts";
import { sessionFilterOf } from "./session-filter.ts";
import { sieveOf } from "./sieve.ts";
import type { CatalogSource } from "./source.ts";

/**
 * The sessions of these sources as they are, where nothing is kept of them; positions are the times of their last change.
 * Sessions of which no line passes a sieve are read no further than that takes.
 */
export class ReadCorpus implements Corpus {
  readonly kind = "read";
  readonly end = Number.MAX_SAFE_INTEGER;
  readonly #sources: readonly CatalogSource[];
  readonly #cwd: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #sessions: ReadSession[] = [];
  #lastKey = 0;

  constructor(sources: readonly CatalogSource[], { cwd, signal }: ReadCorpusOptions) {
    this.#sources = sources;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  async *stretches({ query, scorer }: Wanted, before: number): AsyncGenerator<Stretch> {
    const turns = new Turns();
    const looked = {
      query,
      isWanted: sessionFilterOf(query, this.#cwd),
      scorer,
      sieve: sieveOf(query),
    };
    for (const { time, sessions } of await this.#newestFirst(before)) {
      const stretch: { matches: Match[]; next: number; length: number } = { matches: [], next: time, length: 0 };
      for (const { source, found } of sessions) {
        if (turns.isOver) await turns.next();
        this.#signal?.throwIfAborted();
        const read = await readSession(source, found, looked);
        stretch.length += read?.length ?? 0;
        if (read && read.fitting.length > 0) for (const match of this.#added(read)) stretch.matches.push(match);
      }
      yield stretch;
    }
  }

  session(key: number): SearchedSession {
    const { source, found, header, tree } = this.#sessions[key] as ReadSession;
    const branches = new Branches([...tree.heads()]);
    return {
      id: header.id,
      ...(found.path !== undefined && { path: found.path }),
      source: source.name,
      ...(tree.name !== undefined && { name: tree.name }),
      holding: (id) => branches.holding(id),
    };
  }

  #added(read: ReadSession): Match[] {
    const session = this.#sessions.push(read) - 1;
    return read.fitting.toReversed().map((fit) => ({ ...fit, session, key: --this.#lastKey }));
  }

  async #newestFirst(before: number): Promise<SessionsOfOneTime[]> {
    const all: SessionOfSource[] = [];
    for (const source of this.#sources) {
      for await (const found of source.sessions(this.#signal)) {
        if (found.error === undefined && found.time.getTime() < before) all.push({ source, found });
      }
    }
    const groups = Map.groupBy(all, ({ found }) => found.time.getTime());
    return Array.from(groups, ([time, sessions]) => ({ time, sessions })).sort((a, b) => b.time - a.time);
  }
}

export interface ReadCorpusOptions {
  readonly cwd: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface SessionsOfOneTime {
  readonly time: number;
  readonly sessions: readonly SessionOfSource[];
}
