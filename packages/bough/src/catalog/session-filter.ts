import { cwdMatcher } from "../storage/files/cwd.ts";
import { isWithin } from "./place-filter.ts";
import type { Query } from "./query.ts";

/** Of a session: its working directory, and its place in its source. */
export type SessionFilter = (cwd: string, place: string) => boolean;

/** By working directory and by what a query says of places (`in:`). Undefined if all sessions are wanted. */
export function sessionFilterOf({ all, none }: Query, cwd: string | undefined): SessionFilter | undefined {
  const isWanted = cwd === undefined ? () => true : cwdMatcher(cwd);
  const inside = all.flatMap((condition) => (condition.kind === "in" ? condition.value : []));
  const outside = none.flatMap((condition) => (condition.kind === "in" ? condition.value : []));
  if (cwd === undefined && inside.length + outside.length === 0) return undefined;
  return (sessionCwd, place) => {
    const lies = (path: string) => isWithin(sessionCwd, path) || isWithin(place, path);
    return isWanted(sessionCwd) && inside.every(lies) && !outside.some(lies);
  };
}
