import { plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { findEntry } from "../entry-argument.ts";
import { withSession } from "../session-argument.ts";
import { shortId } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function label(
  cli: Cli,
  [argument, target = "", text]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    const targetId = await findEntry(session, target);
    const id = await session.appendLabel(targetId, text);
    const given = await session.getLabel(targetId);
    if (options.json) await writeJson(cli.stdout, { id, targetId, label: given });
    else
      await cli.stdout.line(
        given === undefined ? `${shortId(targetId)} has no label` : `${shortId(targetId)} is @${plainLine(given)}`,
      );
  });
}
