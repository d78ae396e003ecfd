import { SessionError } from "../errors.ts";
import { noSession } from "./missing.ts";

export interface SessionCandidate {
  readonly id: string;
  readonly name?: string;
}

const shortestPart = 4;

/**
 * The one session that `query` names: by exact id, else by exact name, else by a prefix or suffix of an id of four
 * characters or more. Throws `ambiguous` with the candidates, or `not_found`.
 */
export function matchSession<T extends SessionCandidate>(query: string, sessions: readonly T[]): T {
  const isPart = ({ id }: T) => query.length >= shortestPart && (id.startsWith(query) || id.endsWith(query));
  for (const names of [({ id }: T) => id === query, ({ name }: T) => name === query, isPart]) {
    const [match, ...others] = sessions.filter(names);
    if (match && others.length === 0) return match;
    if (!match) continue;
    const candidates = [match, ...others].map(({ id }) => id);
    throw new SessionError("ambiguous", `${query} names ${candidates.length} sessions`, { id: query, candidates });
  }
  throw noSession(query);
}
