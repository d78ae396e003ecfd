import { resolve } from "node:path";
import type { SessionInfo, SessionListing, SessionRepo } from "bough";
import { plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { drawListing } from "../list-drawing.ts";
import { welcome } from "../other-agents.ts";
import { Progress } from "../progress.ts";
import { withRepo } from "../repo.ts";
import { writeJsonList } from "../write-json.ts";

export interface ListCommandOptions {
  readonly cwd?: string;
  readonly all?: true;
  readonly named?: true;
  readonly limit?: number;
  readonly json?: true;
}

export async function list(cli: Cli, _: readonly string[], options: ListCommandOptions): Promise<undefined> {
  const cwd = resolve(cli.cwd, options.cwd ?? ".");
  await withRepo(cli, {}, async (repo) => {
    const { sessions, unreadable } = await scan(cli, repo, options.all ? undefined : cwd);
    const wanted = options.named ? sessions.filter(({ name }) => name !== undefined) : sessions;
    const shown = wanted.slice(0, options.limit);
    if (options.json) {
      await writeJsonList(cli.stdout, shown.map(jsonListing));
    } else {
      for (const info of shown)
        await cli.stdout.line(drawListing(info, cli.stdout, { withProject: options.all === true }));
    }
    for (const { path, id } of unreadable)
      await cli.stderr.line(`can't be read: ${plainLine(path ?? id ?? "?", 1000)}`);
    if (shown.length === 0 && !options.json) await welcome(cli, repo, { isWholeStore: options.all === true, cwd });
  });
}

type Unreadable = Extract<SessionListing, { status: "unreadable" }>;

/** Newest first. */
async function scan(
  cli: Cli,
  repo: SessionRepo,
  cwd: string | undefined,
): Promise<{ readonly sessions: readonly SessionInfo[]; readonly unreadable: readonly Unreadable[] }> {
  const progress = new Progress(cli.stderr);
  const sessions: SessionInfo[] = [];
  const unreadable: Unreadable[] = [];
  const options = {
    ...(cwd !== undefined && { cwd }),
    signal: cli.signal,
    onProgress: (done: number, total: number) => progress.report(`looking at sessions: ${done} of ${total}`),
  };
  for await (const listing of repo.scan(options)) {
    if (listing.status === "ok") sessions.push(listing);
    else unreadable.push(listing);
  }
  progress.done();
  sessions.sort((a, b) => Date.parse(b.modified) - Date.parse(a.modified) || (a.id < b.id ? 1 : -1));
  return { sessions, unreadable };
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
