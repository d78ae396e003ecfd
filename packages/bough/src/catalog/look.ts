import { Branches } from "./branches.ts";
import type { CatalogSession } from "./catalog-session.ts";
import type { CatalogDatabase } from "./database.ts";
import { dependsOnRest, type PlaceRow, placeOf } from "./entry-row.ts";
import { parsedColumn } from "./json-column.ts";
import type { CatalogSource } from "./source.ts";
import type { StoredState } from "./written-session.ts";

/** A session of which a catalog knows all that counting its entries would tell. */
export interface CountedSession extends CatalogSession {
  readonly branchCount: number;
}

interface Row {
  readonly key: number;
  readonly source: string;
  readonly stamp: string | null;
  readonly info: string;
  readonly state: string;
}

/**
 * What is known of the session at a place of one of the sources, if a look at it tells that it has not changed since. Where
 * ids came twice, messages that others took the place of are among those a list counts: of these nothing is told.
 */
export function lookUp(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  place: string,
): CountedSession | undefined {
  const rows = database.rows<Row>(
    `SELECT key, source, stamp, info, state FROM session JOIN detail ON detail.session = key
     WHERE place = ? AND error IS NULL AND stamp IS NOT NULL AND source IN (SELECT value FROM json_each(?))`,
    ...[place, JSON.stringify(sources.map(({ id }) => id))],
  );
  const current = rows.find(({ source, stamp }) => {
    return sources.find(({ id }) => id === source)?.look?.(place)?.stamp === stamp;
  });
  if (!current || parsedColumn<StoredState>(current.state).hasRepeated) return undefined;
  return { ...parsedColumn<CatalogSession>(current.info), branchCount: branchesOf(database, current.key).count };
}

/** Few places depend on the rest of a head, so that most rows are not looked at: the index tells. */
export function branchesOf(database: CatalogDatabase, session: number): Branches {
  const table = "entry INDEXED BY entry_place WHERE session = ?";
  const rows = database.rows<Omit<PlaceRow, "rest">>(`SELECT id, parent, type FROM ${table}`, session);
  const rests = database.rows<Pick<PlaceRow, "id" | "rest">>(
    `SELECT id, rest FROM ${table} AND ${dependsOnRest}`,
    session,
  );
  const restOf = new Map(rests.map(({ id, rest }) => [id, rest]));
  return new Branches(rows.map(({ id, parent, type }) => placeOf({ id, parent, type, rest: restOf.get(id) ?? null })));
}
