import { isAbsolute } from "node:path";
import type { CatalogSession } from "./catalog-session.ts";

type Threaded = CatalogSession & { readonly depth: number };

/**
 * Forks right below what they were forked from, where that is among the sessions; threads by the newest message anywhere
 * in them. Sessions that name each other as their parents end a thread where it would begin again.
 */
export function threaded(sessions: readonly CatalogSession[], realPath: (path: string) => string): readonly Threaded[] {
  const sorted = sessions.toSorted((a, b) => compare(b.modified, a.modified) || compare(b.id, a.id));
  const forks = forksOf(sorted, realPath);
  const order = byActivity(sorted, forks);
  const result: Threaded[] = [];
  const met = new Set<CatalogSession>();
  for (const root of [...order(forks.get(undefined) ?? []), ...sorted]) {
    const pending: { readonly session: CatalogSession; readonly depth: number }[] = [{ session: root, depth: 0 }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { session, depth } = next;
      if (met.has(session)) continue;
      met.add(session);
      result.push({ ...session, depth });
      for (const fork of order(forks.get(session) ?? []).reverse()) pending.push({ session: fork, depth: depth + 1 });
    }
  }
  return result;
}

type Forks = ReadonlyMap<CatalogSession | undefined, readonly CatalogSession[]>;

/** A parent is named by its id, or by a path that may lead through links. */
function forksOf(sessions: readonly CatalogSession[], realPath: (path: string) => string): Forks {
  const named = new Map<string, CatalogSession>();
  for (const session of sessions) {
    named.set(session.id, session);
    if (session.path !== undefined) named.set(session.path, session);
  }
  return Map.groupBy(sessions, ({ parentSession: parent }) => {
    if (parent === undefined) return undefined;
    return named.get(parent) ?? (isAbsolute(parent) ? named.get(realPath(parent)) : undefined);
  });
}

/** Sorts sessions by the newest message in them or in any fork of theirs. */
function byActivity(newestFirst: readonly CatalogSession[], forks: Forks) {
  const parentOf = new Map<CatalogSession, CatalogSession | undefined>();
  for (const [parent, children] of forks) for (const child of children) parentOf.set(child, parent);
  const activity = new Map<CatalogSession, string>();
  for (const session of newestFirst) {
    for (let at: CatalogSession | undefined = session; at && !activity.has(at); at = parentOf.get(at)) {
      activity.set(at, session.modified);
    }
  }
  const of = (session: CatalogSession) => activity.get(session) ?? session.modified;
  return (siblings: readonly CatalogSession[]) => siblings.toSorted((a, b) => compare(of(b), of(a)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
