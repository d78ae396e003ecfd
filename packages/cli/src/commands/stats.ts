import { branchTips, type UsageTotals } from "bough/tree";
import { knownSession } from "../catalog.ts";
import type { Cli } from "../cli.ts";
import { Progress } from "../progress.ts";
import { withSession } from "../session-argument.ts";
import { sessionFile } from "../session-file.ts";
import { writeJson } from "../write-json.ts";

interface Figures {
  readonly counts: { readonly entries: number; readonly messages: number; readonly branches: number };
  readonly tokens: Omit<UsageTotals, "cost">;
  readonly cost: number | null;
  readonly own: UsageTotals;
  readonly inherited: UsageTotals;
  readonly unknownReplies: number;
}

export async function stats(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  const path = await sessionFile(cli, argument);
  const figures = (await knownFigures(cli, path)) ?? (await countedFigures(cli, path));
  if (options.json) {
    const { counts, ...rest } = figures;
    await writeJson(cli.stdout, { ...counts, ...rest });
  } else await draw(cli, figures);
}

/** From the catalog, where the file is as it was when the catalog took it in. */
async function knownFigures(cli: Cli, path: string): Promise<Figures | undefined> {
  const known = await knownSession(cli, path);
  if (!known) return undefined;
  const { entryCount, messageCount, branchCount, usage, own, inherited, unknownReplies } = known;
  const counts = { entries: entryCount, messages: messageCount, branches: branchCount };
  const { cost, ...tokens } = usage;
  return { counts, tokens, cost, own, inherited, unknownReplies };
}

async function countedFigures(cli: Cli, path: string): Promise<Figures> {
  const progress = new Progress(cli.stderr);
  return await withSession(cli, path, async (session) => {
    const { entryCount, messageCount, tokens, costTotal, own, inherited, unknownReplies } =
      await session.getSessionStats({
        signal: cli.signal,
        onProgress: (done, total) => progress.report(`reading entries: ${done} of ${total}`),
      });
    progress.done();
    const branches = branchTips(await session.readTree()).length;
    const counts = { entries: entryCount, messages: messageCount, branches };
    return { counts, tokens, cost: costTotal, own, inherited, unknownReplies };
  });
}

async function draw(cli: Cli, { counts, tokens, cost, inherited, unknownReplies }: Figures): Promise<void> {
  const { input, output, cacheRead, cacheWrite, total } = tokens;
  const facts = {
    ...counts,
    tokens: total,
    "": `${number(input)} in, ${number(output)} out, ${number(cacheRead)} from cache, ${number(cacheWrite)} into cache`,
    cost: cost === null ? "unknown" : `$${cost.toFixed(2)}`,
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
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
