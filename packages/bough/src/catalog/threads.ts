import { isAbsolute } from "node:path";
import type { CatalogSession, ListedCatalogSession } from "./catalog-session.ts";

/** A session that was forked from none of the others, and the forks of each right below it. */
export interface Thread {
  /** When the newest message in any of them came. */
  readonly modified: string;
  /** Names the thread by its first session. */
  readonly name: string;
  readonly sessions: readonly ListedCatalogSession[];
}

/** Newest first, also the forks of a session. Of sessions that name each other as their parents the newest has none. */
export function threadsOf(sessions: readonly CatalogSession[], realPath: (path: string) => string): readonly Thread[] {
  const sorted = sessions.toSorted((a, b) => compare(b.modified, a.modified) || compare(nameOf(b), nameOf(a)));
  const parents = parentsOf(sorted, realPath);
  openCircles(sorted, parents);
  const modified = newestIn(sorted, parents);
  const timeOf = (session: CatalogSession) => modified.get(session) ?? session.modified;
  const byTime = sorted.toSorted((a, b) => compare(timeOf(b), timeOf(a)) || compare(nameOf(b), nameOf(a)));
  const forks = Map.groupBy(byTime, (session) => parents.get(session));
  const roots = forks.get(undefined) ?? [];
  return roots.map((root) => ({ modified: timeOf(root), name: nameOf(root), sessions: withForks(root, forks) }));
}

/** Tells a session from all others of a list. */
export function nameOf({ source, path, id }: CatalogSession): string {
  return `${source}:${path ?? id}`;
}

function withForks(
  root: CatalogSession,
  forks: ReadonlyMap<CatalogSession | undefined, readonly CatalogSession[]>,
): readonly ListedCatalogSession[] {
  const result: ListedCatalogSession[] = [];
  const pending = [{ session: root, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { session, depth } = next;
    result.push({ ...session, depth });
    for (const fork of (forks.get(session) ?? []).toReversed()) pending.push({ session: fork, depth: depth + 1 });
  }
  return result;
}

/** A parent is named by its id, or by a path that may lead through links. */
function parentsOf(
  sessions: readonly CatalogSession[],
  realPath: (path: string) => string,
): Map<CatalogSession, CatalogSession> {
  const named = new Map<string, CatalogSession>();
  for (const session of sessions) {
    named.set(session.id, session);
    if (session.path !== undefined) named.set(session.path, session);
  }
  const parents = new Map<CatalogSession, CatalogSession>();
  for (const session of sessions) {
    const { parentSession: name } = session;
    if (name === undefined) continue;
    const parent = named.get(name) ?? (isAbsolute(name) ? named.get(realPath(name)) : undefined);
    if (parent) parents.set(session, parent);
  }
  return parents;
}

function openCircles(newestFirst: readonly CatalogSession[], parents: Map<CatalogSession, CatalogSession>): void {
  const places = new Map(newestFirst.map((session, place) => [session, place]));
  const placeOf = (session: CatalogSession) => places.get(session) as number;
  const met = new Set<CatalogSession>();
  for (const start of newestFirst) {
    const path: CatalogSession[] = [];
    let at: CatalogSession | undefined = start;
    for (; at && !met.has(at); at = parents.get(at)) {
      met.add(at);
      path.push(at);
    }
    if (!at || !path.includes(at)) continue;
    const circle = path.slice(path.indexOf(at));
    parents.delete(circle.reduce((a, b) => (placeOf(a) < placeOf(b) ? a : b)));
  }
}

/** When the newest message came in each session or in any fork below it. */
function newestIn(
  newestFirst: readonly CatalogSession[],
  parents: ReadonlyMap<CatalogSession, CatalogSession>,
): ReadonlyMap<CatalogSession, string> {
  const newest = new Map<CatalogSession, string>();
  for (const session of newestFirst) {
    for (let at: CatalogSession | undefined = session; at && !newest.has(at); at = parents.get(at)) {
      newest.set(at, session.modified);
    }
  }
  return newest;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
