import { withFilledCatalog } from "../catalog.ts";
import type { Cli } from "../cli.ts";
import { drawListing } from "../list-drawing.ts";
import { withRepo } from "../repo.ts";
import { writeJson, writeJsonList } from "../write-json.ts";

export async function trash(
  cli: Cli,
  _: readonly string[],
  options: { readonly empty?: true; readonly json?: true },
): Promise<undefined> {
  await withRepo(cli, {}, async (repo) => {
    if (options.empty) {
      const destroyed = await repo.purge();
      if (options.json) await writeJson(cli.stdout, { destroyed });
      else await cli.stdout.line(`${destroyed} destroyed`);
      // What they said is in the catalog until it is brought up to date.
      await withFilledCatalog(cli, async () => undefined);
      return;
    }
    const trashed = await repo.list({ trash: true, signal: cli.signal });
    if (options.json) {
      const ids = trashed.map(({ id, path, cwd, name, firstMessage, modified }) => ({
        id,
        path,
        cwd,
        name,
        firstMessage,
        modified,
      }));
      await writeJsonList(cli.stdout, ids);
      return;
    }
    for (const info of trashed) await cli.stdout.line(drawListing(info, cli.stdout, { withProject: true }));
    if (trashed.length === 0) await cli.stderr.line("The trash is empty.");
  });
}
