import { resolve } from "node:path";
import type { Catalog, SearchFlag, SearchHit, SearchResult } from "bough/catalog";
import { type SourceName, searching } from "../catalog.ts";
import type { Cli } from "../cli.ts";
import { explainUnreadable } from "../diagnostics.ts";
import { drawHit } from "../hit-drawing.ts";
import { UsageError } from "../usage-error.ts";
import { writeJsonList } from "../write-json.ts";

export interface SearchCommandOptions {
  readonly cwd?: string;
  readonly all?: true;
  readonly source?: SourceName;
  readonly limit?: number;
  readonly json?: true;
}

export async function search(
  cli: Cli,
  [query = ""]: readonly string[],
  options: SearchCommandOptions,
): Promise<undefined> {
  const { cwd = ".", all, source = "bough", limit, json } = options;
  const project = all ? undefined : resolve(cli.cwd, cwd);
  let isEmpty = false;
  const answer = async (catalog: Catalog) => {
    const result = await catalog.search(query, {
      ...(project !== undefined && { cwd: project }),
      ...(limit !== undefined && { limit }),
      signal: cli.signal,
    });
    if (result.flags.includes("invalid_pattern")) throw new UsageError(`no pattern stands behind re: in ${query}`);
    if (json) await writeJsonList(cli.stdout, result.hits.map(jsonHit));
    else await cli.stdout.writeAll(result.hits.map((hit) => `${drawHit(hit, cli.stdout)}\n`));
    isEmpty = result.hits.length === 0;
    await explain(cli, result, options);
  };
  const unreadable = await searching(cli, source, answer, project);
  if (unreadable) await explainUnreadable(cli, unreadable, isEmpty);
  return undefined;
}

async function explain(cli: Cli, { hits, cursor, flags }: SearchResult, options: SearchCommandOptions): Promise<void> {
  for (const flag of flags) if (notes[flag]) await cli.stderr.line(notes[flag]);
  if (options.json) return;
  if (hits.length === 0) await cli.stderr.line(`Nothing found${options.all ? "" : "; `--all` looks in all projects"}.`);
  else if (cursor !== undefined) await cli.stderr.line("There are more; `--limit` shows them.");
}

const notes: Partial<Record<SearchFlag, string>> = {
  search_timeout: "The pattern took too long: these are the hits so far.",
  scan_limit: "There was too much to look through for a query this short: these are the newest hits.",
};

function jsonHit({ sessionId, path, entryId, snippet }: SearchHit): object {
  return { sessionId, path, entryId, snippet };
}
