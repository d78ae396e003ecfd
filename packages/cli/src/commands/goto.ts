import { describeEntry } from "bough/outline";
import type { Cli } from "../cli.ts";
import { findPlace } from "../entry-argument.ts";
import { withSession } from "../session-argument.ts";
import { shortId } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function goto(
  cli: Cli,
  [argument, target = ""]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    await session.moveTo(await findPlace(session, target));
    const { id, leafId } = session;
    if (options.json) return await writeJson(cli.stdout, { id, leafId });
    const leaf = await session.getLeafEntry();
    await cli.stdout.line(
      leaf ? `at ${shortId(leaf.id)}  ${describeEntry(leaf, { limit: 60 })}` : "before the first entry",
    );
  });
}
