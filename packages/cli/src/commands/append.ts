import { resolve } from "node:path";
import type { Session } from "bough";
import { LineSplitter } from "bough/format";
import { Appending } from "../appending.ts";
import type { Cli } from "../cli.ts";
import { withRepo } from "../repo.ts";
import { withSession } from "../session-argument.ts";
import { shownName } from "../shown-name.ts";
import { UsageError } from "../usage-error.ts";
import { safeJson } from "../write-json.ts";

export interface AppendOptions {
  readonly new?: true;
  readonly cwd?: string;
  readonly json?: true;
}

/** An id is printed only when its entry would survive a power loss, whatever its type. */
const durability = "power";

export async function append(cli: Cli, [argument]: readonly string[], options: AppendOptions): Promise<undefined> {
  if (!options.new) {
    if (options.cwd !== undefined) throw new UsageError("--cwd belongs to --new");
    const work = (session: Session) => appendInput(cli, session, options);
    await withSession(cli, argument, work, { durability, beginsInEmptyFile: true });
    return;
  }
  if (argument !== undefined) throw new UsageError("--new makes a session, so none can be named");
  await withRepo(cli, { durability }, async (repo) => {
    const session = await repo.create({ cwd: resolve(cli.cwd, options.cwd ?? ".") });
    const path = session.storage.ref.location;
    if (options.json) await cli.stdout.line(safeJson({ id: session.id, path }));
    await cli.stderr.line(shownName(path ?? session.id));
    await appendInput(cli, session, options);
  });
}

async function appendInput(cli: Cli, session: Session, options: AppendOptions): Promise<void> {
  const splitter = new LineSplitter();
  const appending = new Appending(session, (entry) =>
    cli.stdout.line(options.json ? safeJson(entry) : shownName(entry.id)),
  );
  for await (const chunk of cli.stdin) {
    cli.signal.throwIfAborted();
    await appending.add(Array.from(splitter.push(chunk as Buffer), ({ bytes }) => bytes));
  }
  const last = splitter.end();
  if (last !== undefined) await appending.add([last.bytes]);
}
