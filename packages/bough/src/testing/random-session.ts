import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { RandomAuthor, timeOf } from "./random-author.ts";

export interface RandomSessionOptions {
  /** How many entries; one seed gives the longer session the shorter one's start. */
  readonly length?: number;
  /** Adds orphans, cycles, repeated ids, unknown types and leaf records that name nothing. */
  readonly damaged?: boolean;
}

export interface RandomSession {
  readonly seed: number;
  readonly header: SessionHeader;
  readonly entries: readonly SessionTreeEntry[];
}

/**
 * A session as an agent and its user might have left it: turns with tool calls, branches, compactions, labels, names,
 * state changes and custom entries, in the shape that bough writes. The seed decides all of it.
 */
export function randomSession(
  seed: number,
  { length = 100, damaged = false }: RandomSessionOptions = {},
): RandomSession {
  const author = new RandomAuthor(seed, damaged);
  while (author.entries.length < length) author.proceed();
  const header = { type: "session", version: 3, id: `random-${seed}`, timestamp: timeOf(0), cwd: "/w/p" } as const;
  return { seed, header, entries: author.entries.slice(0, length) };
}

/** The shortest start of a session that still fails, given that the whole does. Every start of one is a session. */
export function smallestFailing(session: RandomSession, fails: (session: RandomSession) => boolean): RandomSession {
  let [passing, failing] = [0, session.entries.length];
  while (failing - passing > 1) {
    const middle = (passing + failing) >> 1;
    if (fails({ ...session, entries: session.entries.slice(0, middle) })) failing = middle;
    else passing = middle;
  }
  return { ...session, entries: session.entries.slice(0, failing) };
}
