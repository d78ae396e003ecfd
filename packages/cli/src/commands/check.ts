import type { Cli } from "../cli.ts";
import { describeDiagnostic } from "../diagnostics.ts";
import { withLineNumbers } from "../line-numbers.ts";
import { Progress } from "../progress.ts";
import { withSession } from "../session-argument.ts";
import { writeJson } from "../write-json.ts";

export async function check(
  cli: Cli,
  [argument]: readonly string[],
  options: { readonly json?: true },
): Promise<number> {
  const progress = new Progress(cli.stderr);
  return await withSession(cli, argument, async (session) => {
    const {
      ok,
      entries,
      diagnostics: found,
    } = await session.check({
      signal: cli.signal,
      onProgress: (done, total) => progress.report(`reading entries: ${done} of ${total}`),
    });
    const { location } = session.storage.ref;
    const diagnostics = location === undefined ? found : await withLineNumbers(location, found);
    progress.done();
    if (options.json) {
      await writeJson(cli.stdout, { ok, entries, diagnostics });
    } else {
      for (const diagnostic of diagnostics) await cli.stdout.line(describeDiagnostic(diagnostic));
      const verdict = ok ? "nothing wrong" : `${diagnostics.length} findings`;
      await cli.stdout.line(`${entries} entries, ${verdict}`);
    }
    return ok ? 0 : 1;
  });
}
