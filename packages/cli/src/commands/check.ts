import type { Cli } from "../cli.ts";
import { describeDiagnostic } from "../diagnostics.ts";
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
    const { ok, entries, diagnostics } = await session.check({
      signal: cli.signal,
      onProgress: (done, total) => progress.report(`reading entries: ${done} of ${total}`),
    });
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
