import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Catalog, fileSource, type SearchHit, type SearchOptions } from "../../src/catalog/index.ts";
import { loadSqlite } from "../../src/catalog/sqlite.ts";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { headOf } from "../../src/entry/head.ts";
import { LineSplitter } from "../../src/format/lines.ts";
import { SessionDecoder } from "../../src/format/session-decoder.ts";
import { searchableText } from "../../src/outline/search.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";

export function catalogOf(root: string, file: string | undefined = join(root, "..", "catalog.sqlite")): Catalog {
  const catalog = Catalog.open({ ...(file !== undefined && { file }), sources: [fileSource({ name: "bough", root })] });
  onTestFinished(() => catalog.close());
  return catalog;
}

/** Reads the sessions whenever it is asked. */
export function catalogWithoutFile(root: string): Catalog {
  const catalog = Catalog.open({ sources: [fileSource({ name: "bough", root })] });
  onTestFinished(() => catalog.close());
  return catalog;
}

export async function indexedCatalog(root: string): Promise<Catalog> {
  const catalog = catalogOf(root);
  await catalog.update();
  return catalog;
}

/** The ways in which sessions are searched; all find the same. */
export const searchable: Readonly<Record<string, (root: string) => Promise<Catalog>>> = {
  "with an index": indexedCatalog,
  "without one": async (root) => catalogWithoutFile(root),
};

/** All pages. */
export async function allHits(catalog: Catalog, query: string, options: SearchOptions = {}): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let { cursor } = options; ; ) {
    const page = await catalog.search(query, { ...options, ...(cursor !== undefined && { cursor }) });
    hits.push(...page.hits);
    if (page.cursor === undefined) return hits;
    cursor = page.cursor;
  }
}

export function namesOf(hits: readonly SearchHit[]): string[] {
  return hits.map(({ path, entryId }) => `${path}#${entryId}`).sort();
}

export interface ReadEntry {
  readonly name: string;
  readonly entry: SessionTreeEntry;
  readonly text: string;
}

/** Every entry of these files, read whole with none of the catalog's means. */
export function entriesOf(files: readonly string[]): ReadEntry[] {
  return files.flatMap((path) => {
    const decoder = new SessionDecoder();
    const splitter = new LineSplitter();
    const entries = new Map<string, SessionTreeEntry>();
    const tree = new SessionTree();
    try {
      const lines = [...splitter.push(readFileSync(path))];
      const tail = splitter.end();
      for (const line of tail ? [...lines, tail] : lines) {
        const { entry } = decoder.decode(line);
        if (!entry) continue;
        tree.add(headOf(entry, 0));
        entries.delete(entry.id);
        entries.set(entry.id, entry);
      }
    } catch {
      return [];
    }
    if (!decoder.header) return [];
    return [...entries.values()].map((entry) => {
      return { name: `${path}#${entry.id}`, entry, text: searchableText(entry, tree.labelOf(entry.id)) };
    });
  });
}

/** All that a catalog file says, apart from numbers that depend on how it came to be. */
export function contentOf(file: string): unknown {
  const database = new (loadSqlite().DatabaseSync)(file, { readOnly: true });
  const sessions = database
    .prepare(
      "SELECT key, place, stamp, state, info, error FROM session LEFT JOIN detail ON detail.session = key ORDER BY place",
    )
    .all();
  const entries = database.prepare(
    "SELECT id, parent, type, time, role, tools, label, rest, text FROM entry WHERE session = ? ORDER BY key",
  );
  const content = sessions.map(({ key, ...session }) => ({ ...session, entries: entries.all(key as number) }));
  database.close();
  return JSON.parse(JSON.stringify(content));
}
