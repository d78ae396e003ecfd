import { plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { withSession } from "../session-argument.ts";
import { writeJson } from "../write-json.ts";

export async function rename(
  cli: Cli,
  [argument, text = ""]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    await session.appendSessionName(text);
    const name = await session.getSessionName();
    if (options.json) await writeJson(cli.stdout, { id: session.id, name });
    else
      await cli.stdout.line(
        name === undefined ? "the session has no name" : `the session is called ${plainLine(name)}`,
      );
  });
}
