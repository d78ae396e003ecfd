import { type Compacted, compact as compactSession } from "bough";
import type { Cli } from "../cli.ts";
import { withSession } from "../session-argument.ts";
import { chosenSummarizer } from "../summarizer.ts";
import { shortId } from "../tree-drawing.ts";
import { safeJson } from "../write-json.ts";

export interface CompactCommandOptions {
  readonly instructions?: string;
  readonly keep?: number;
  readonly json?: true;
}

export async function compact(
  cli: Cli,
  [argument]: readonly string[],
  { instructions, keep, json }: CompactCommandOptions,
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    const compacted = await compactSession(session, {
      summarizer: chosenSummarizer(),
      ...(keep !== undefined && { keep: { tokens: keep } }),
      ...(instructions !== undefined && { instructions }),
      signal: cli.signal,
    });
    await cli.stdout.line(json ? safeJson(compacted.entry) : outcome(compacted));
  });
}

function outcome({ entry, preparation }: Compacted): string {
  const { coveredIds, keptIds, isOverBudget, keptTokens } = preparation;
  const sizes = `${count(entry.tokensBefore)} tokens before, ${count(entry.tokensAfter ?? 0)} after`;
  const entries = `${count(coveredIds.length)} entries summarised, ${count(keptIds.length)} kept`;
  const more = isOverBudget
    ? ` (${count(keptTokens)} tokens, more than asked for: calls and results stay together)`
    : "";
  return `${shortId(entry.id)}  ${sizes}; ${entries}${more}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
