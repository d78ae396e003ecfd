import { matchSession } from "bough";
import type { Cli } from "../cli.ts";
import { withRepo } from "../repo.ts";
import { shownName } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function undelete(
  cli: Cli,
  [argument = ""]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withRepo(cli, {}, async (repo) => {
    const trashed = await repo.list({ trash: true, signal: cli.signal });
    const { id, location } = await repo.undelete(matchSession(argument, trashed).id);
    if (options.json) await writeJson(cli.stdout, { id, path: location });
    else await cli.stdout.line(shownName(location ?? id));
  });
}
