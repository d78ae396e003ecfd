import { existsSync } from "node:fs";
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
  const progress = new Progress(cli.stderr);
  const onProgress = (done: number, total: number, what: keyof typeof doing) =>
    progress.report(`${doing[what]}: ${done} of ${total}`);
  const catalog = catalogOf(cli, source);
  try {
    await catalog.update({ textIndex, signal: cli.signal, onProgress });
    progress.done();
    return await work(catalog);
  } finally {
    catalog.close();
  }
}

/** The same of bough's own sessions where a catalog is kept; undefined, and none is made, where not. */
export async function withKnownCatalog<T>(cli: Cli, work: (catalog: Catalog) => Promise<T>): Promise<T | undefined> {
  return existsSync(catalogFile(cli)) ? await withCatalog(cli, { textIndex: false }, work) : undefined;
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
  return Catalog.open({ file: catalogFile(cli), sources });
}

function catalogFile(cli: Cli): string {
  return join(dirname(storeRoot(cli)), "catalog.sqlite");
}

const doing = { sessions: "looking at sessions", entries: "indexing what they say" };
