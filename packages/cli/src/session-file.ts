import { SessionError } from "bough";
import type { Cli } from "./cli.ts";
import { withRepo } from "./repo.ts";
import { findSession } from "./session-argument.ts";

/** The file of the session that an argument names, without opening it. */
export async function sessionFile(cli: Cli, argument: string | undefined): Promise<string> {
  return await withRepo(cli, {}, async (repo) => {
    const found = await findSession(cli, repo, argument);
    const { id, location } = typeof found === "string" ? await repo.store.resolve(found) : found;
    if (location === undefined) throw new SessionError("not_found", `${id} is in no file`, { what: "session", id });
    return location;
  });
}
