import { type Repair, repairFile } from "bough/jsonl";
import type { Cli } from "../cli.ts";
import { sessionFile } from "../session-file.ts";
import { shownName } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function repair(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  const path = await sessionFile(cli, argument);
  const repaired = repairFile(path);
  if (options.json) await writeJson(cli.stdout, { path, ...repaired });
  else await describe(cli, repaired);
}

async function describe({ stdout }: Cli, repaired: Repair): Promise<void> {
  if (repaired.status === "sound") return await stdout.line("nothing to repair");
  for (const { what, line, entryId } of repaired.changes) {
    await stdout.line(`${what} line ${line}${entryId === undefined ? "" : `: ${shownName(entryId)}`}`);
  }
  await stdout.line(`the old file is ${shownName(repaired.backup)}`);
}
