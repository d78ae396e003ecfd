import type { Cli } from "../cli.ts";
import { findEntry } from "../entry-argument.ts";
import { withSession } from "../session-argument.ts";
import { shownName } from "../shown-name.ts";
import { UsageError } from "../usage-error.ts";
import { writeJson } from "../write-json.ts";

export async function fork(
  cli: Cli,
  [argument, target]: readonly string[],
  options: { readonly before?: true; readonly json?: true },
): Promise<undefined> {
  if (options.before && target === undefined) {
    throw new UsageError("--before needs an entry", "Name the message of the user that the fork is to end before.");
  }
  await withSession(cli, argument, async (session) => {
    const entryId = target === undefined ? undefined : await findEntry(session, target);
    const copy = await session.fork(entryId, { position: options.before ? "before" : "at" });
    await copy.close();
    const { id, leafId } = copy;
    const path = copy.storage.ref.location;
    if (options.json) await writeJson(cli.stdout, { id, path, leafId });
    else await cli.stdout.line(shownName(path ?? id));
  });
}
