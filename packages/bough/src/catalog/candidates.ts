import type { CatalogDatabase } from "./database.ts";
import { type EntryRow, idOf, labelledText, leadOf } from "./entry-row.ts";
import { lookupOf } from "./lookup.ts";
import type { Scorer } from "./matching.ts";
import type { Query } from "./query.ts";

/** An entry that fits, with its text, label included. */
export interface Match {
  readonly key: number;
  readonly session: number;
  readonly id: string;
  readonly text: string;
  /** How the text begins before the entry's own words. */
  readonly lead: string;
  readonly score: number;
}

/** What was looked at between two moments at which a search can stop. `next` is where to go on, undefined at the end. */
export interface Stretch {
  readonly matches: readonly Match[];
  readonly next: number | undefined;
  /** Of text. */
  readonly length: number;
}

export interface Wanted {
  readonly query: Query;
  readonly scorer: Scorer;
}

const stretchRows = 256;
const stretchLength = 2 << 20;

/**
 * Entries that fit, those with the highest keys first, below `before`. `sessions` is a JSON array of the keys of those to
 * look in, undefined for all.
 */
export function* storedMatches(
  database: CatalogDatabase,
  { query, scorer, sessions }: Wanted & { readonly sessions: string | undefined },
  before: number,
): Generator<Stretch> {
  const lookup = lookupOf(query);
  const columns = "e.key, e.session, e.id, e.type, e.role, e.tools, e.label, e.text";
  const filters = columnFilters(query);
  if (sessions !== undefined) filters.push(["+e.session IN (SELECT value FROM json_each(?))", sessions]);
  const from = lookup ? `${lookup.index} CROSS JOIN entry e ON e.key = ${lookup.index}.rowid` : "entry e";
  const order = lookup ? `${lookup.index}.rowid` : "e.key";
  const restriction = lookup ? `${lookup.index} MATCH ? AND ${order} < ?` : `${order} < ?`;
  const values = lookup ? [lookup.match] : [];
  const where = [restriction, ...filters.map(([condition]) => condition)].join(" AND ");
  const sql = `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order} DESC`;
  const filterValues = filters.map(([, value]) => value);
  for (let next: number | undefined = before; next !== undefined; ) {
    const rows: Iterable<EntryRow> = database.each<EntryRow>(sql, ...values, next, ...filterValues);
    const stretch = stretchOf(rows, scorer);
    yield stretch;
    next = stretch.next;
  }
}

function stretchOf(rows: Iterable<EntryRow>, scorer: Scorer): Stretch {
  const matches: Match[] = [];
  let count = 0;
  let length = 0;
  for (const row of rows) {
    const text = labelledText(row);
    const score = scorer({ ...row, text });
    if (score !== undefined)
      matches.push({ key: row.key, session: row.session, id: idOf(row.id), text, lead: leadOf(row, text), score });
    count++;
    length += text.length;
    if (count >= stretchRows || length >= stretchLength) return { matches, next: row.key, length };
  }
  return { matches, next: undefined, length };
}

/** What columns tell without the text; the comparison is what decides. */
function columnFilters({ all }: Query): [condition: string, value: string][] {
  return all.flatMap((condition): [string, string][] => {
    switch (condition.kind) {
      case "role":
        return ascii.test(condition.value) ? [["instr(lower(e.role), ?) > 0", condition.value]] : [];
      case "tool":
        return ascii.test(condition.value) ? [["instr(lower(e.tools), ?) > 0", condition.value]] : [];
      case "label":
        return [["typeof(e.label) = ?", "text"]];
      default:
        return [];
    }
  });
}

/** Of other letters SQLite knows no lower case. */
const ascii = /^[\x20-\x7e]*$/;
