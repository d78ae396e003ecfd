import { isBoughError } from "../errors.ts";
import type { Match, Stretch, Wanted } from "./candidates.ts";
import type { CatalogSession } from "./catalog-session.ts";
import type { CatalogDatabase } from "./database.ts";
import { columnsOf, type EntryRow, headOf, labelledText, leadOf } from "./entry-row.ts";
import type { CatalogSource, FoundSession } from "./source.ts";

/** As `storedMatches`, for a list kept in memory, with the texts read from the sessions again: one stretch a session. */
export async function* readMatches(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  wanted: Pick<Wanted, "scorer" | "sessions">,
): AsyncGenerator<Stretch> {
  const sessions = database.rows<SessionRow>(
    `SELECT key, source, place, stamp, info FROM session JOIN detail ON detail.session = key
     WHERE error IS NULL AND (?1 IS NULL OR key IN (SELECT value FROM json_each(?1)))`,
    wanted.sessions ?? null,
  );
  for (const session of sessions) {
    const source = sources.find(({ id }) => id === session.source);
    if (source) yield await stretchOf(new SessionText(database, session), source, wanted);
  }
}

interface SessionRow {
  readonly key: number;
  readonly source: string;
  readonly place: string;
  readonly stamp: string;
  readonly info: string;
}

/** A session that can't be read any more, or only in part, has what was read of it. */
async function stretchOf(
  session: SessionText,
  source: CatalogSource,
  { scorer }: Pick<Wanted, "scorer">,
): Promise<Stretch> {
  const matches = new Map<string, Match>();
  let length = 0;
  try {
    for await (const { records } of source.read(session.found, undefined)) {
      for (const { entry } of records) {
        const row = entry && session.rowOf(entry.id);
        if (!row) continue;
        const columns = { ...columnsOf(entry, headOf(entry, 0)), label: row.label };
        const text = labelledText(columns);
        const score = scorer({ ...columns, text });
        length += text.length;
        // Of several with one id the last counts.
        matches.delete(row.id);
        if (score !== undefined)
          matches.set(row.id, { ...session.keys(row), text, lead: leadOf(columns, text), score });
      }
    }
  } catch (error) {
    if (!isBoughError(error)) throw error;
  }
  return { matches: [...matches.values()], next: 0, length };
}

type KnownEntry = Pick<EntryRow, "key" | "id" | "label">;

class SessionText {
  readonly found: FoundSession;
  readonly #key: number;
  readonly #rows: ReadonlyMap<string, KnownEntry>;

  constructor(database: CatalogDatabase, { key, place, stamp, info }: SessionRow) {
    const { path, modified }: CatalogSession = JSON.parse(info);
    this.found = { place, ...(path !== undefined && { path }), stamp, time: new Date(modified) };
    this.#key = key;
    const rows = database.rows<KnownEntry>("SELECT key, id, label FROM entry WHERE session = ?", key);
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  rowOf(id: string): KnownEntry | undefined {
    return this.#rows.get(id);
  }

  keys({ key, id }: KnownEntry): Pick<Match, "key" | "session" | "id"> {
    return { key, session: this.#key, id };
  }
}
