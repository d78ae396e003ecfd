import { dirname, join } from "node:path";
import { Catalog, type CountedSession, fileSource } from "bough/catalog";
import type { Cli } from "./cli.ts";
import { agents, sessionsOf } from "./other-agents.ts";
import { Progress } from "./progress.ts";
import { storeRoot } from "./repo.ts";

/** `all`: bough's own and those of every agent that is known. */
export type SourceName = "bough" | "pi" | "omp" | "all";

/** What is known of the sessions of these sources, brought up to date; the text index only if asked for. */
export async function withCatalog<T>(
  cli: Cli,
  { source = "bough", textIndex }: { readonly source?: SourceName; readonly textIndex: boolean },
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  const catalog = catalogOf(cli, source);
  try {
    await bringUpToDate(cli, catalog, textIndex);
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
    await bringUpToDate(cli, catalog, false);
    return await work(catalog);
  } finally {
    catalog.close();
  }
}

async function bringUpToDate(cli: Cli, catalog: Catalog, textIndex: boolean): Promise<void> {
  const progress = new Progress(cli.stderr);
  const onProgress = (done: number, total: number, what: keyof typeof doing) =>
    progress.report(`${doing[what]}: ${done} of ${total}`);
  await catalog.update({ textIndex, signal: cli.signal, onProgress });
  progress.done();
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
  const roots = [{ name: "bough", root: storeRoot(cli) }, ...agents.map((agent) => sessionsOf(cli, agent))];
  const sources = roots.filter(({ name }) => source === "all" || name === source).map(fileSource);
  return Catalog.open({ file: join(dirname(storeRoot(cli)), "catalog.sqlite"), sources });
}

const doing = { sessions: "looking at sessions", entries: "indexing what they say" };
