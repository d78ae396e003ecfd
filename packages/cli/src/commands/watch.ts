import { describeEntry, plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { withSession } from "../session-argument.ts";
import { shortId } from "../shown-name.ts";
import { cutToWidth } from "../text-width.ts";
import { safeJson } from "../write-json.ts";

export async function watch(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    for await (const entry of session.watch({ signal: cli.signal })) {
      const speaker = entry.type === "message" ? `${plainLine(entry.message.role)}: ` : "";
      const line = `${shortId(entry.id)}  ${speaker}${describeEntry(entry)}`;
      await cli.stdout.line(options.json ? safeJson(entry) : cutToWidth(line, cli.stdout.width));
    }
  });
}
