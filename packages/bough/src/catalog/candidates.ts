import type { CatalogSession } from "./catalog-session.ts";
import type { CatalogDatabase } from "./database.ts";
import { columnsOf, type EntryRow, headOf, labelledText, leadOf } from "./entry-row.ts";
import type { Scorer } from "./matching.ts";
import type { Condition, Query } from "./query.ts";
import type { CatalogSource } from "./source.ts";

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

/** A JSON array of the keys of the sessions to look in. */
export type SessionKeys = string;

const stretchRows = 256;
const stretchLength = 2 << 20;

/** Entries that fit, those with the highest keys first, below `before`. */
export function* storedMatches(
  database: CatalogDatabase,
  { query, scorer, sessions }: { readonly query: Query; readonly scorer: Scorer; readonly sessions: SessionKeys },
  before: number,
): Generator<Stretch> {
  const lookup = lookupOf(query);
  const columns = "e.key, e.session, e.id, e.type, e.role, e.tools, e.label, e.text";
  const filters = ["+e.session IN (SELECT value FROM json_each(?))", ...columnFilters(query)].join(" AND ");
  const from = lookup ? `${lookup.index} CROSS JOIN entry e ON e.key = ${lookup.index}.rowid` : "entry e";
  const order = lookup ? `${lookup.index}.rowid` : "e.key";
  const restriction = lookup ? `${lookup.index} MATCH ? AND ${order} < ?` : `${order} < ?`;
  const values = lookup ? [lookup.match] : [];
  const sql = `SELECT ${columns} FROM ${from} WHERE ${restriction} AND ${filters} ORDER BY ${order} DESC`;
  for (let next: number | undefined = before; next !== undefined; ) {
    const rows: Iterable<EntryRow> = database.each<EntryRow>(sql, ...values, next, sessions);
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
      matches.push({ key: row.key, session: row.session, id: row.id, text, lead: leadOf(row, text), score });
    count++;
    length += text.length;
    if (count >= stretchRows || length >= stretchLength) return { matches, next: row.key, length };
  }
  return { matches, next: undefined, length };
}

/** What a list kept in memory knows, with the text read from the sessions again: one stretch a session. */
export async function* readMatches(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  { scorer, sessions }: { readonly scorer: Scorer; readonly sessions: SessionKeys },
): AsyncGenerator<Stretch> {
  const rows = database.rows<{ key: number; source: string; place: string; stamp: string; info: string }>(
    `SELECT key, source, place, stamp, info FROM session JOIN detail ON detail.session = key
     WHERE error IS NULL AND key IN (SELECT value FROM json_each(?))`,
    sessions,
  );
  for (const { key, source: id, place, stamp, info } of rows) {
    const source = sources.find((each) => each.id === id);
    if (!source) continue;
    const { path, modified }: CatalogSession = JSON.parse(info);
    const found = { place, ...(path !== undefined && { path }), stamp, time: new Date(modified) };
    const known = new Map(
      database
        .rows<Pick<EntryRow, "key" | "id" | "label">>("SELECT key, id, label FROM entry WHERE session = ?", key)
        .map((row) => [row.id, row]),
    );
    const matches = new Map<string, Match>();
    let length = 0;
    for await (const piece of source.read(found, undefined)) {
      for (const { entry } of piece.records) {
        const row = entry && known.get(entry.id);
        if (!row) continue;
        const columns = columnsOf(entry, headOf(entry, 0));
        const text = labelledText({ ...columns, label: row.label });
        const score = scorer({ ...columns, label: row.label, text });
        matches.delete(row.id);
        length += text.length;
        const lead = leadOf({ ...columns, label: row.label }, text);
        if (score !== undefined) matches.set(row.id, { key: row.key, session: key, id: row.id, text, lead, score });
      }
    }
    yield { matches: [...matches.values()], next: 0, length };
  }
}

/** What an index is asked: it may name too many entries, and misses none. */
interface Lookup {
  readonly index: "found" | "phrases";
  readonly match: string;
}

/** Undefined where no index knows anything of what is asked for. */
function lookupOf({ all }: Query): Lookup | undefined {
  const each = all.flatMap((condition) => (condition.kind === "words" ? [condition.words] : []));
  const phrases = each.map(phraseOf).filter((phrase) => phrase !== undefined);
  if (phrases.length > 0) return { index: "phrases", match: phrases.join(" AND ") };
  const trigrams = new Set(each.flat().flatMap(threesOf).map(quoted));
  return trigrams.size === 0 ? undefined : { index: "found", match: [...trigrams].join(" AND ") };
}

/** The first word may be the end of one, and is left to the comparison; the last may be the start of one. */
function phraseOf(words: readonly string[]): string | undefined {
  const rest = words.slice(1).join(" ");
  return words.length > 2 && certainLetter.test(rest) ? `${quoted(rest)} *` : undefined;
}

/** What the index has taken for a part of a word in every version of Unicode. */
const certainLetter = /[a-z0-9à-öø-ÿα-ωа-я぀-ゟ゠-ヿ一-鿿가-힣]/;

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Some of the threes of every word are enough, since what they find is compared with the text. */
const trigramsAWord = 12;

function threesOf(word: string): string[] {
  const points = Array.from(word.slice(0, 1000));
  const last = points.length - 3;
  if (last < 0) return [];
  const step = Math.max(1, Math.ceil(last / (trigramsAWord - 1)));
  const starts = new Set([last]);
  for (let start = 0; start < last; start += step) starts.add(start);
  return Array.from(starts, (start) => points.slice(start, start + 3).join(""));
}

const columnOf: Partial<Record<Condition["kind"], string>> = { role: "e.role", tool: "e.tools", label: "e.label" };

function columnFilters({ all }: Query): string[] {
  return all.flatMap(({ kind }) => columnOf[kind] ?? []).map((column) => `${column} IS NOT NULL`);
}
