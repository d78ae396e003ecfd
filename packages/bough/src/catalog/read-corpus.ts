import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import { folded } from "../outline/search.ts";
import { Turns } from "../storage/files/turns.ts";
import { SessionTree } from "../tree/session-tree.ts";
import { Branches } from "./branches.ts";
import type { Match, Stretch, Wanted } from "./candidates.ts";
import type { Corpus, SearchedSession } from "./corpus.ts";
import { columnsOf, type EntryColumns, headOf, labelledText, leadOf } from "./entry-row.ts";
import type { Query } from "./query.ts";
import { type SessionFilter, sessionFilterOf } from "./session-filter.ts";
import { Sieve, sieveOf } from "./sieve.ts";
import type { CatalogSource, FoundSession } from "./source.ts";

/**
 * The sessions of these sources as they are, where nothing is kept of them; positions are the times of their last change.
 * Sessions of which no line passes a sieve are read no further than that takes.
 */
export class ReadCorpus implements Corpus {
  readonly end = Number.MAX_SAFE_INTEGER;
  readonly #sources: readonly CatalogSource[];
  readonly #cwd: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #sessions: ReadSession[] = [];
  #lastKey = 0;

  constructor(sources: readonly CatalogSource[], { cwd, signal }: ReadCorpusOptions) {
    this.#sources = sources;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  async *stretches({ query, scorer }: Wanted, before: number): AsyncGenerator<Stretch> {
    const turns = new Turns();
    const looked = {
      query,
      isWanted: sessionFilterOf(query, this.#cwd) ?? (() => true),
      scorer,
      sieve: sieveOf(query),
    };
    for (const { time, sessions } of await this.#newestFirst(before)) {
      const stretch: { matches: Match[]; next: number; length: number } = { matches: [], next: time, length: 0 };
      for (const { source, found } of sessions) {
        if (turns.isOver) await turns.next();
        this.#signal?.throwIfAborted();
        const read = await readSession(source, found, looked);
        stretch.length += read?.length ?? 0;
        if (read && read.fitting.length > 0) stretch.matches.push(...this.#added(read));
      }
      yield stretch;
    }
  }

  session(key: number): SearchedSession {
    const { source, found, header, tree } = this.#sessions[key] as ReadSession;
    const branches = new Branches([...tree.heads()]);
    return {
      id: header.id,
      ...(found.path !== undefined && { path: found.path }),
      source: source.name,
      ...(tree.name !== undefined && { name: tree.name }),
      holding: (id) => branches.holding(id),
    };
  }

  #added(read: ReadSession): Match[] {
    const session = this.#sessions.push(read) - 1;
    return read.fitting.toReversed().map((fit) => ({ ...fit, session, key: --this.#lastKey }));
  }

  async #newestFirst(before: number): Promise<SessionsOfOneTime[]> {
    const all: SessionOfSource[] = [];
    for (const source of this.#sources) {
      for await (const found of source.sessions(this.#signal)) {
        if (found.error === undefined && found.time.getTime() < before) all.push({ source, found });
      }
    }
    const groups = Map.groupBy(all, ({ found }) => found.time.getTime());
    return Array.from(groups, ([time, sessions]) => ({ time, sessions })).sort((a, b) => b.time - a.time);
  }
}

export interface ReadCorpusOptions {
  readonly cwd: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface SessionOfSource {
  readonly source: CatalogSource;
  readonly found: FoundSession;
}

interface SessionsOfOneTime {
  readonly time: number;
  readonly sessions: readonly SessionOfSource[];
}

type Fit = Pick<Match, "id" | "text" | "lead" | "score">;

interface ReadSession extends SessionOfSource {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** In log order. */
  readonly fitting: readonly Fit[];
  /** Of the text that was looked at. */
  readonly length: number;
}

interface Looked extends Wanted {
  readonly isWanted: SessionFilter;
  readonly sieve: Sieve | undefined;
}

/** Undefined for a session that is not wanted, or in which nothing fits. What can't be read has what was read of it. */
async function readSession(
  source: CatalogSource,
  found: FoundSession,
  looked: Looked,
): Promise<ReadSession | undefined> {
  try {
    const passed = passedIn(source, found, looked);
    if (!passed) return undefined;
    const expected = labelsAhead(source, found);
    const read = await readWith(expected, source, found, { ...looked, ...passed });
    const labels = read ? labelsIn(read.tree) : expected;
    return isSame(labels, expected) ? read : await readWith(labels, source, found, { ...looked, ...passed });
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
  source.sift?.(found, labelSieve, { wants: () => true, take });
  return labelsIn(tree);
}

function labelsIn(tree: SessionTree): Labels {
  return new Map(Array.from(tree.labels(), ([id, { text }]) => [id, text]));
}

function isSame(labels: Labels, others: Labels): boolean {
  return labels.size === others.size && [...labels].every(([id, text]) => others.get(id) === text);
}

async function readWith(
  labels: Labels,
  source: CatalogSource,
  found: FoundSession,
  { scorer, isWanted, among }: Looked & Passed,
): Promise<ReadSession | undefined> {
  const fitting = new Map<string, Fit>();
  let length = 0;
  let read: { readonly header: SessionHeader; readonly tree: SessionTree } | undefined;
  try {
    for await (const { header, records } of source.read(found, undefined)) {
      read ??= { header, tree: new SessionTree(header) };
      if (!isWanted(header.cwd, found.place)) return undefined;
      for (const { entry } of records) {
        if (!entry) continue;
        const head = headOf(entry, 0);
        read.tree.add(head);
        // Of several with one id the last counts.
        fitting.delete(entry.id);
        if (among && !among.has(entry.id) && !labels.has(entry.id)) continue;
        const columns = { ...columnsOf(entry, head), label: labels.get(entry.id) ?? null };
        const text = labelledText(columns);
        const score = scorer({ ...columns, text });
        length += text.length;
        if (score !== undefined) fitting.set(entry.id, { id: entry.id, text, lead: leadOf(columns, text), score });
      }
    }
  } catch (error) {
    if (!isBoughError(error)) throw error;
  }
  return read && { source, found, ...read, fitting: [...fitting.values()], length };
}

const labelSieve = new Sieve('"label"', '"label"');

/** Entries that may fit without a label; undefined for any. */
interface Passed {
  readonly among?: ReadonlySet<string>;
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
  const wants = ({ cwd }: SessionHeader) => isWanted(cwd, found.place);
  const among = new Set<string>();
  const near = new Set<string>();
  let fits = false;
  const isSifted = source.sift(found, sieve, {
    wants,
    take(entry) {
      const columns = columnsOf(entry, headOf(entry, 0));
      among.add(entry.id);
      fits ||= entry.type === "label" || fitsAlone(columns, scorer);
      if (!fits && isCompletable(columns, query)) near.add(entry.id);
      return !fits || among.size < fewLines;
    },
  });
  if (!isSifted) return {};
  if (!fits && near.size > 0) {
    source.sift(found, labelSieve, {
      wants,
      take(entry: SessionTreeEntry) {
        fits = entry.type === "label" && near.has(entry.targetId);
        return !fits;
      },
    });
  }
  if (!fits) return undefined;
  return among.size < fewLines ? { among } : {};
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
