import { resolve } from "node:path";
import type { SessionInfo } from "bough";
import type { CatalogFilter, CatalogPage, CatalogSort } from "bough/catalog";
import { type SourceName, unreadableIn, withCatalog } from "../catalog.ts";
import type { Cli } from "../cli.ts";
import { explainUnreadable } from "../diagnostics.ts";
import { drawListing } from "../list-drawing.ts";
import { welcome } from "../other-agents.ts";
import { pastTime } from "../past-time.ts";
import { withRepo } from "../repo.ts";
import { writeJsonList } from "../write-json.ts";

export interface ListCommandOptions {
  readonly cwd?: string;
  readonly all?: true;
  readonly named?: true;
  readonly since?: string;
  readonly model?: string;
  readonly sort?: CatalogSort;
  readonly source?: SourceName;
  readonly limit?: number;
  readonly json?: true;
}

export async function list(cli: Cli, _: readonly string[], options: ListCommandOptions): Promise<undefined> {
  const { source = "bough", json } = options;
  const filter = filterOf(cli, options);
  const { page, unreadable } = await withCatalog(cli, source, async (catalog) => ({
    page: await catalog.list(filter),
    unreadable: await unreadableIn(catalog, filter.cwd),
  }));
  if (json) await writeJsonList(cli.stdout, page.sessions.map(jsonListing));
  else await draw(cli, page, options);
  await explainUnreadable(cli, unreadable, page.sessions.length === 0);
  if (page.sessions.length > 0 || json) return;
  const mayHoldMore = unreadable.here.length + unreadable.elsewhere > 0;
  const emptiness = { isWholeStore: options.all === true, cwd: resolve(cli.cwd, options.cwd ?? "."), mayHoldMore };
  if (source !== "bough") await cli.stderr.line(`None there${options.all ? "" : "; `--all` lists all projects"}.`);
  else await withRepo(cli, {}, async (repo) => await welcome(cli, repo, emptiness));
}

function filterOf(cli: Cli, { cwd = ".", all, named, since, model, sort, limit }: ListCommandOptions): CatalogFilter {
  return {
    ...(!all && { cwd: resolve(cli.cwd, cwd) }),
    ...(named && { named }),
    ...(since !== undefined && { since: pastTime(since) }),
    ...(model !== undefined && { model }),
    ...(sort && { sort }),
    ...(limit !== undefined && { limit }),
  };
}

async function draw(cli: Cli, { sessions }: CatalogPage, { all }: ListCommandOptions): Promise<void> {
  for (const { depth, ...info } of sessions) {
    await cli.stdout.line(drawListing(info, cli.stdout, { withProject: all === true, depth }));
  }
}

function jsonListing({
  id,
  path,
  cwd,
  name,
  firstMessage,
  messageCount,
  created,
  modified,
  parentSession,
}: SessionInfo) {
  return { id, path, cwd, name, firstMessage, messageCount, created, modified, parentSession };
}
