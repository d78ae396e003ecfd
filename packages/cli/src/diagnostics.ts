import type { Diagnostic } from "bough";
import { plainLine } from "bough/outline";
import type { Cli } from "./cli.ts";

const shown = 5;

/** For people, on standard error: what was wrong in the file, and how to learn more. */
export async function explainDiagnostics({ stderr }: Cli, diagnostics: readonly Diagnostic[]): Promise<void> {
  if (diagnostics.length === 0) return;
  for (const diagnostic of diagnostics.slice(0, shown)) await stderr.line(describeDiagnostic(diagnostic));
  const rest = diagnostics.length - shown;
  if (rest > 0) await stderr.line(`and ${rest} more; \`bough check\` lists them all`);
}

export function describeDiagnostic({ code, line, byteStart, message }: Diagnostic): string {
  const place = line !== undefined ? ` line ${line}` : byteStart !== undefined ? ` byte ${byteStart}` : "";
  return `${code}${place}: ${plainLine(message)}`;
}
