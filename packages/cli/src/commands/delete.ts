import type { Cli } from "../cli.ts";
import { withRepo } from "../repo.ts";
import { findSession } from "../session-argument.ts";
import { shownName } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function deleteSession(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withRepo(cli, {}, async (repo) => {
    const found = await findSession(cli, repo, argument);
    const ref = typeof found === "string" ? await repo.store.resolve(found) : found;
    await repo.delete(ref);
    if (options.json) await writeJson(cli.stdout, { id: ref.id });
    else
      await cli.stdout.line(
        `${shownName(ref.id)} is in the trash; \`bough undelete ${shownName(ref.id)}\` brings it back`,
      );
  });
}
