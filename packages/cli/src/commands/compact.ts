import { type Compacted, compact as compactSession } from "bough";
import type { Cli } from "../cli.ts";
import { withSession } from "../session-argument.ts";
import { shortId } from "../shown-name.ts";
import { chosenSummarizer, type SummarizerOptions } from "../summarizer.ts";
import { safeJson } from "../write-json.ts";

export interface CompactCommandOptions extends SummarizerOptions {
  readonly instructions?: string;
  readonly keep?: number;
  readonly json?: true;
}

export async function compact(
  cli: Cli,
  [argument]: readonly string[],
  { instructions, keep, json, ...options }: CompactCommandOptions,
): Promise<undefined> {
  const summarizer = await chosenSummarizer(cli, options);
  await withSession(cli, argument, async (session) => {
    const compacted = await compactSession(session, {
      summarizer,
      ...(keep !== undefined && { keep: { tokens: keep } }),
      ...(instructions !== undefined && { instructions }),
      signal: cli.signal,
    });
    await cli.stdout.line(json ? safeJson(compacted.entry) : outcome(compacted));
  });
}

function outcome({ entry, preparation }: Compacted): string {
  const { coveredIds, keptIds, keptTokens } = preparation;
  const sizes = `${count(entry.tokensBefore)} tokens before, ${count(entry.tokensAfter ?? 0)} after`;
  const kept = `${count(keptIds.length)} kept (${count(keptTokens)} tokens)`;
  return `${shortId(entry.id)}  ${sizes}; ${count(coveredIds.length)} entries summarised, ${kept}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
