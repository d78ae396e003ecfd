import { isBoughError } from "bough";
import { plainLine, plainText } from "bough/outline";
import { type Cli, Interrupted } from "./cli.ts";
import { hanging } from "./hanging.ts";
import type { Output } from "./output.ts";
import { remedies } from "./remedies.ts";
import { shownName } from "./shown-name.ts";
import { UsageError } from "./usage-error.ts";

/** Says on standard error what went wrong and what to do about it; answers with the exit code. */
export async function report(error: unknown, { stderr, signal }: Cli): Promise<number> {
  if (signal.aborted || error instanceof Interrupted) return 130;
  if (error instanceof UsageError) {
    await complain(stderr, "usage", error.message, error.hint);
    return 2;
  }
  if (isBoughError(error)) {
    await complain(stderr, error.code, error.message, remedies[error.code]);
    if (isBoughError(error, "ambiguous")) await listCandidates(stderr, error.details.candidates);
    return 1;
  }
  await complain(stderr, "failed", error instanceof Error ? error.message : String(error), undefined);
  return 1;
}

async function complain(stderr: Output, code: string, message: string, remedy: string | undefined): Promise<void> {
  await stderr.line(`${stderr.paint("red", `bough: ${code}:`)} ${plainLine(message, 1000)}`);
  if (remedy !== undefined)
    await stderr.line(`  ${hanging(plainText(remedy), { indent: 2, lineLength: stderr.width })}`);
}

async function listCandidates(stderr: Output, candidates: readonly string[]): Promise<void> {
  for (const candidate of candidates.slice(0, 20)) await stderr.line(`  ${shownName(candidate)}`);
}
