import { dirname, join } from "node:path";
import type { UnreadableSession } from "bough";
import { Catalog, type CatalogSource, type CountedSession, fileSource } from "bough/catalog";
import type { Cli } from "./cli.ts";
import { agents, sessionsOf } from "./other-agents.ts";
import { Progress } from "./progress.ts";
import { storeRoot } from "./repo.ts";

/** `all`: bough's own and those of every agent that is known. */
export type SourceName = "bough" | "pi" | "omp" | "all";

/** What is known of the sessions of this source, brought up to date. */
export async function withCatalog<T>(cli: Cli, source: SourceName, work: (catalog: Catalog) => Promise<T>): Promise<T> {
  const catalog = catalogOf(cli, source);
  try {
    await bringUpToDate(cli, catalog, { textIndex: false });
    return await work(catalog);
  } finally {
    catalog.close();
  }
}

/** The same of bough's own sessions where that costs no more than what changed since the last time; undefined where not. */
export async function withFilledCatalog<T>(cli: Cli, work: (catalog: Catalog) => Promise<T>): Promise<T | undefined> {
  const catalog = catalogOf(cli, "bough");
  try {
    if (!(await catalog.holdsSessions())) return undefined;
    await bringUpToDate(cli, catalog, { textIndex: false });
    return await work(catalog);
  } finally {
    catalog.close();
  }
}

/** What should be sessions and can't be read. */
export interface Unreadable {
  /** Those of the project, or all. */
  readonly here: readonly UnreadableSession[];
  readonly elsewhere: number;
}

/** As of the last update. */
export async function unreadableIn(catalog: Catalog, cwd: string | undefined): Promise<Unreadable> {
  const { unreadable: all } = await catalog.list({ limit: 1 });
  if (cwd === undefined || all.length === 0) return { here: all, elsewhere: 0 };
  const { unreadable: here } = await catalog.list({ cwd, limit: 1 });
  return { here, elsewhere: all.length - here.length };
}

/** How long an answer waits for the text index, in milliseconds. */
const patience = 1000;

/**
 * Answers out of the text index if that is soon up to date. If not, the sessions are read, which takes seconds where the
 * index may take minutes, and the index is completed behind the answer where somebody sees that and can end it. Resolves
 * with what can't be read in the project (without one, in all), if the index came to know it.
 */
export async function searching(
  cli: Cli,
  source: SourceName,
  answer: (catalog: Catalog) => Promise<void>,
  cwd: string | undefined,
): Promise<Unreadable | undefined> {
  const catalog = catalogOf(cli, source);
  try {
    if (await isSoonIndexed(cli, catalog)) await answer(catalog);
    else {
      await answer(Catalog.open({ sources: sourcesOf(cli, source) }));
      if (!cli.stderr.isTerminal || !(await catalog.isKept())) return undefined;
      await completeIndex(cli, catalog);
    }
    return cli.signal.aborted ? undefined : await unreadableIn(catalog, cwd);
  } finally {
    catalog.close();
  }
}

async function isSoonIndexed(cli: Cli, catalog: Catalog): Promise<boolean> {
  const time = AbortSignal.timeout(patience);
  try {
    await catalog.update({ signal: AbortSignal.any([cli.signal, time]) });
    return true;
  } catch (error) {
    if (error !== time.reason) throw error;
    return false;
  }
}

/** Whoever has the answer may end it: what is done by then stays. */
async function completeIndex(cli: Cli, catalog: Catalog): Promise<void> {
  try {
    await bringUpToDate(cli, catalog, { note: ", for quicker searches; Ctrl-C ends it" });
  } catch (error) {
    if (!cli.signal.aborted) throw error;
  }
}

async function bringUpToDate(cli: Cli, catalog: Catalog, { textIndex = true, note = "" } = {}): Promise<void> {
  const progress = new Progress(cli.stderr);
  const onProgress = (done: number, total: number, what: keyof typeof doing) =>
    progress.report(`${doing[what]}: ${done} of ${total}${note}`);
  try {
    await catalog.update({ textIndex, signal: cli.signal, onProgress });
  } finally {
    progress.done();
  }
}

/** What is known of the session in this file, if that is how the file is now. */
export async function knownSession(cli: Cli, path: string): Promise<CountedSession | undefined> {
  const catalog = catalogOf(cli, "all");
  try {
    return await catalog.look(path);
  } finally {
    catalog.close();
  }
}

function catalogOf(cli: Cli, source: SourceName): Catalog {
  return Catalog.open({ file: join(dirname(storeRoot(cli)), "catalog.sqlite"), sources: sourcesOf(cli, source) });
}

function sourcesOf(cli: Cli, source: SourceName): CatalogSource[] {
  const roots = [{ name: "bough", root: storeRoot(cli) }, ...agents.map((agent) => sessionsOf(cli, agent))];
  return roots.filter(({ name }) => source === "all" || name === source).map(fileSource);
}

const doing = { sessions: "looking at sessions", entries: "indexing what they say" };
