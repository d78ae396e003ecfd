import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Session, SessionError, type SessionRef, type SessionRepo } from "bough";
import { plainLine } from "bough/outline";
import type { Cli } from "./cli.ts";
import { type UseRepoOptions, withRepo } from "./repo.ts";
import { shortId } from "./shown-name.ts";

export interface UseSessionOptions extends UseRepoOptions {
  /** An empty file that the argument names becomes a session of this project. */
  readonly beginsInEmptyFile?: boolean;
}

/** Opens the session that an argument names (without one, this project's newest), and closes it when the work is done. */
export async function withSession<T>(
  cli: Cli,
  argument: string | undefined,
  work: (session: Session) => Promise<T>,
  { beginsInEmptyFile = false, ...options }: UseSessionOptions = {},
): Promise<T> {
  return await withRepo(cli, options, async (repo) => {
    const found = await findSession(cli, repo, argument);
    const isFile = typeof found === "string" && isAbsolute(found);
    return await work(await repo.open(found, { create: beginsInEmptyFile && isFile }));
  });
}

/** By path, `@`, or whatever the store finds: id, name, start or end of an id. Rejects with `not_found` or `ambiguous`. */
export async function findSession(
  cli: Cli,
  repo: SessionRepo,
  argument: string | undefined,
): Promise<SessionRef | string> {
  if (argument === undefined) return await newest(cli, repo, true);
  if (argument === "@") return await newest(cli, repo, false);
  const path = resolve(cli.cwd, argument);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  if (/[\\/]/.test(argument)) throw noSession(`no file ${argument}`, argument);
  return argument;
}

async function newest(cli: Cli, repo: SessionRepo, isImplied: boolean): Promise<SessionRef> {
  const { withFilledCatalog } = await import("./catalog.ts");
  const wanted = { cwd: cli.cwd, limit: 1 };
  const known = await withFilledCatalog(cli, async (catalog) => (await catalog.list(wanted)).sessions);
  const [first] = known ?? (await repo.list({ ...wanted, signal: cli.signal }));
  if (!first) {
    throw noSession(`this project (${cli.cwd}) has no session`, "@");
  }
  if (isImplied) await cli.stderr.line(`${shortId(first.id)}  ${plainLine(first.name ?? first.firstMessage, 60)}`);
  return { id: first.id, ...(first.path !== undefined && { location: first.path }) };
}

function noSession(message: string, id: string): SessionError<"not_found"> {
  return new SessionError("not_found", message, { what: "session", id });
}
