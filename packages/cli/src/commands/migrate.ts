import { migrateFile } from "bough/jsonl";
import type { Cli } from "../cli.ts";
import { sessionFile } from "../session-file.ts";
import { shownName } from "../shown-name.ts";
import { writeJson } from "../write-json.ts";

export async function migrate(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<undefined> {
  const path = await sessionFile(cli, argument);
  const migration = migrateFile(path);
  if (options.json) await writeJson(cli.stdout, { path, ...migration });
  else if (migration.status === "current") await cli.stdout.line("the file is up to date");
  else await cli.stdout.line(`migrated; the old file is ${shownName(migration.backup)}`);
}
