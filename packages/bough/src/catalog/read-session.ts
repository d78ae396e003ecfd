import type { SessionTreeEntry } from "../entry/entry.ts";
import type { Position } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import { folded } from "../outline/search.ts";
import { HeadStore } from "../tree/head-store.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { Match, Wanted } from "./candidates.ts";
import { columnsOf, type EntryColumns, headOf, labelledText, leadOf } from "./entry-row.ts";
import type { Query } from "./query.ts";
import type { SessionFilter } from "./session-filter.ts";
import { Sieve } from "./sieve.ts";
import type { CatalogSource, FoundSession, SessionHeads } from "./source.ts";

export interface SessionOfSource {
  readonly source: CatalogSource;
  readonly found: FoundSession;
}

type Fit = Pick<Match, "id" | "text" | "lead" | "score">;

export interface ReadSession extends SessionOfSource {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** In log order. */
  readonly fitting: readonly Fit[];
  /** Of the text that was looked at. */
  readonly length: number;
}

export interface Looked extends Wanted {
  /** Undefined if all are. */
  readonly isWanted: SessionFilter | undefined;
  readonly sieve: Sieve | undefined;
}

/** Undefined for a session that is not wanted, or in which nothing fits. What can't be read has what was read of it. */
export async function readSession(
  source: CatalogSource,
  found: FoundSession,
  looked: Looked,
): Promise<ReadSession | undefined> {
  try {
    const passed = passedIn(source, found, looked);
    if (!passed) return undefined;
    const byHeads = readByHeads(source, found, { ...looked, ...passed });
    if (byHeads) return byHeads;
    const expected = labelsAhead(source, found);
    const read = await readWith(expected, source, found, looked);
    const labels = read ? labelsIn(read.tree) : expected;
    return isSame(labels, expected) ? read : await readWith(labels, source, found, looked);
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return undefined;
  }
}

type Labels = ReadonlyMap<string, string>;

/** Labels come behind what they name, so they are looked for first; what doesn't come out as expected is read once more. */
function labelsAhead(source: CatalogSource, found: FoundSession): Labels {
  const tree = new SessionTree();
  const take = (entry: SessionTreeEntry) => {
    if (entry.type === "label") tree.add(headOf(entry, 0));
    return true;
  };
  source.sift?.(found, labelSieve, { take });
  return labelsIn(tree);
}

function labelsIn(tree: SessionTree): Labels {
  return new Map(Array.from(tree.labels(), ([id, { text }]) => [id, text]));
}

function isSame(labels: Labels, others: Labels): boolean {
  return labels.size === others.size && [...labels].every(([id, text]) => others.get(id) === text);
}

/** From the entries that passed, their labels, and how all hangs together; undefined where all has to be read. */
function readByHeads(
  source: CatalogSource,
  found: FoundSession,
  { scorer, entries }: Wanted & Passed,
): ReadSession | undefined {
  if (!entries) return undefined;
  return source.heads?.(found, (session) => {
    const { header, heads } = session;
    const store = new HeadStore();
    store.addBefore(heads);
    const tree = new SessionTree(header, store);
    const counting = entries.filter(({ columns, position }) => tree.get(columns.id)?.position === position);
    const labels = entries.some(({ columns }) => columns.type === "label") ? labelledIn(session, tree, counting) : [];
    const rows = [...counting, ...labels]
      .sort((a, b) => a.position - b.position)
      .map(({ columns }) => labelled(columns, tree.labelOf(columns.id)));
    const length = rows.reduce((sum, { text }) => sum + text.length, 0);
    return { source, found, header, tree, fitting: rows.flatMap((row) => fitOf(row, scorer) ?? []), length };
  });
}

/** The entries with a label that are not among these. */
function labelledIn({ read }: SessionHeads, tree: SessionTree, known: readonly PassedEntry[]): PassedEntry[] {
  const ids = new Set(known.map(({ columns }) => columns.id));
  const positions = Array.from(tree.labels().keys(), (id) => (ids.has(id) ? undefined : tree.get(id)?.position));
  const wanted = positions.filter((position) => position !== undefined);
  return read(wanted).map((entry, index) => {
    const position = wanted[index] as Position;
    return { columns: columnsOf(entry, headOf(entry, position)), position };
  });
}

type LabelledColumns = EntryColumns & { readonly label: string | null; readonly text: string };

function labelled(columns: EntryColumns, label: string | undefined): LabelledColumns {
  const row = { ...columns, label: label ?? null };
  return { ...row, text: labelledText(row) };
}

function fitOf(row: LabelledColumns, scorer: Wanted["scorer"]): Fit | undefined {
  const score = scorer(row);
  return score === undefined ? undefined : { id: row.id, text: row.text, lead: leadOf(row, row.text), score };
}

async function readWith(
  labels: Labels,
  source: CatalogSource,
  found: FoundSession,
  { scorer, isWanted }: Looked,
): Promise<ReadSession | undefined> {
  const fitting = new Map<string, Fit>();
  let length = 0;
  let read: { readonly header: SessionHeader; readonly tree: SessionTree } | undefined;
  try {
    for await (const { header, records } of source.read(found, undefined)) {
      read ??= { header, tree: new SessionTree(header) };
      if (isWanted && !isWanted(header.cwd, found.place)) return undefined;
      for (const { entry } of records) {
        if (!entry) continue;
        const head = headOf(entry, 0);
        read.tree.add(head);
        // Of several with one id the last counts.
        fitting.delete(entry.id);
        const row = labelled(columnsOf(entry, head), labels.get(entry.id));
        const fit = fitOf(row, scorer);
        length += row.text.length;
        if (fit) fitting.set(entry.id, fit);
      }
    }
  } catch (error) {
    if (!isBoughError(error)) throw error;
  }
  return read && { source, found, ...read, fitting: [...fitting.values()], length };
}

const labelSieve = new Sieve('"label"', '"label"');

/** Entries that may fit though no other label says so, in log order; undefined for any. */
interface Passed {
  readonly entries?: readonly PassedEntry[];
}

interface PassedEntry {
  readonly columns: EntryColumns;
  readonly position: Position;
}

/** Where so many lines pass, telling them from the others is no use. */
const fewLines = 200;

/** Undefined for a session in which nothing fits. A label says something about an entry of which the line may say the rest. */
function passedIn(
  source: CatalogSource,
  found: FoundSession,
  { query, scorer, isWanted, sieve }: Looked,
): Passed | undefined {
  if (!sieve || !source.sift) return {};
  const wants = isWanted && { wants: ({ cwd }: SessionHeader) => isWanted(cwd, found.place) };
  const entries: PassedEntry[] = [];
  const near = new Set<string>();
  let fits = false;
  const isSifted = source.sift(found, sieve, {
    ...wants,
    take(entry, position) {
      const columns = columnsOf(entry, headOf(entry, position));
      if (entries.length < fewLines) entries.push({ columns, position });
      fits ||= entry.type === "label" || fitsAlone(columns, scorer);
      if (!fits && isCompletable(columns, query)) near.add(entry.id);
      return !fits || entries.length < fewLines;
    },
  });
  if (!isSifted) return {};
  if (!fits && near.size > 0) {
    source.sift(found, labelSieve, {
      ...wants,
      take(entry) {
        fits = entry.type === "label" && near.has(entry.targetId);
        return !fits;
      },
    });
  }
  if (!fits) return undefined;
  return entries.length < fewLines ? { entries } : {};
}

/** Whether what is missing may stand in a label: on its own, or in a phrase, behind the type and before all other words. */
function isCompletable({ type, text }: EntryColumns, { all }: Query): boolean {
  const [condition, ...others] = all;
  if (others.length > 0 || condition?.kind !== "words") return true;
  const before = folded(type);
  const [first = ""] = (text ?? "").slice(type.length).trimStart().split(/\s/, 1);
  const behind = folded(first);
  const { words } = condition;
  return words.length > 1 && words.some((word) => before.endsWith(word) || behind.startsWith(word));
}

function fitsAlone(columns: EntryColumns, scorer: Wanted["scorer"]): boolean {
  const { text, ...rest } = { ...columns, label: null };
  return scorer({ ...rest, text: text ?? "" }) !== undefined;
}
