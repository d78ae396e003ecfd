import { branchTips } from "bough/tree";
import type { Cli } from "../cli.ts";
import { withSession } from "../session-argument.ts";
import { writeJson } from "../write-json.ts";

export async function stats(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    const { entryCount, messageCount, tokens, costTotal, own, inherited, unknownReplies } =
      await session.getSessionStats();
    const branches = branchTips(await session.readTree()).length;
    const counts = { entries: entryCount, messages: messageCount, branches };
    if (options.json) {
      await writeJson(cli.stdout, { ...counts, tokens, cost: costTotal, own, inherited, unknownReplies });
      return;
    }
    const { input, output, cacheRead, cacheWrite, total } = tokens;
    const facts = {
      ...counts,
      tokens: `${number(total)} (${number(input)} in, ${number(output)} out, ${number(cacheRead)} from cache, ${number(cacheWrite)} into cache)`,
      cost: costTotal === null ? "unknown" : `$${costTotal.toFixed(2)}`,
      ...(inherited.total > 0 && {
        inherited: `${number(inherited.total)} tokens from the session it was forked from`,
      }),
      ...(unknownReplies > 0 && { "no usage": `${number(unknownReplies)} replies, not counted above` }),
    };
    for (const [name, fact] of Object.entries(facts)) {
      await cli.stdout.line(
        `${cli.stdout.paint("dim", name.padEnd(9))} ${typeof fact === "number" ? number(fact) : fact}`,
      );
    }
  });
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
