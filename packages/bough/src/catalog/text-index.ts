import { folded } from "../outline/search.ts";
import type { CatalogDatabase } from "./database.ts";
import { type EntryRow, labelledText } from "./entry-row.ts";
import { wordJoins } from "./word-joins.ts";

/*
 * Which entries hold which three characters, and which joins of words. Entries come in after they were stored, in the
 * order of their keys; what becomes of one in the meantime is of no concern here.
 */

type Indexed = Pick<EntryRow, "key" | "type" | "label" | "text">;

const indexes = ["found", "phrases"] as const;
const contents = { found: (text: string) => text, phrases: wordJoins } as const;

const batchLength = 512 << 10;

/** Brings in some of what is not in the index yet, in a transaction of its own; false if there was nothing. */
export function indexSome(database: CatalogDatabase): boolean {
  if (!database.keepsText || indexedKey(database) >= lastKey(database)) return false;
  return database.transaction(() => {
    const from = indexedKey(database);
    const rows = someAfter(database, from);
    for (const row of rows) put(database, row);
    const last = rows.at(-1);
    if (last) database.run("UPDATE indexed SET key = ?", last.key);
    return last !== undefined;
  });
}

function someAfter(database: CatalogDatabase, key: number): readonly Indexed[] {
  const rows: Indexed[] = [];
  let length = 0;
  for (const row of database.each<Indexed>(
    "SELECT key, type, label, text FROM entry WHERE key > ? ORDER BY key LIMIT 1000",
    key,
  )) {
    rows.push(row);
    length += row.text?.length ?? 0;
    if (length >= batchLength) break;
  }
  return rows;
}

/** How much of all there is, in entries. */
export function indexProgress(database: CatalogDatabase): { readonly done: number; readonly total: number } {
  return { done: indexedKey(database), total: lastKey(database) };
}

export function indexAgain(database: CatalogDatabase, row: Indexed): void {
  if (isIndexed(database, row.key)) put(database, row);
}

function put(database: CatalogDatabase, row: Indexed): void {
  const text = folded(labelledText(row));
  for (const index of indexes) {
    database.run(`INSERT OR REPLACE INTO ${index} (rowid, text) VALUES (?, ?)`, row.key, contents[index](text));
  }
}

export function dropEntry(database: CatalogDatabase, key: number): void {
  if (!isIndexed(database, key)) return;
  for (const index of indexes) database.run(`DELETE FROM ${index} WHERE rowid = ?`, key);
}

export function dropSession(database: CatalogDatabase, session: number): void {
  if (!database.keepsText) return;
  const keys = "SELECT key FROM entry WHERE session = ? AND key <= ?";
  for (const index of indexes) {
    database.run(`DELETE FROM ${index} WHERE rowid IN (${keys})`, session, indexedKey(database));
  }
}

function isIndexed(database: CatalogDatabase, key: number): boolean {
  return database.keepsText && key <= indexedKey(database);
}

function indexedKey(database: CatalogDatabase): number {
  return database.row<{ key: number }>("SELECT key FROM indexed")?.key ?? 0;
}

function lastKey(database: CatalogDatabase): number {
  return database.row<{ key: number | null }>("SELECT max(key) AS key FROM entry")?.key ?? 0;
}
