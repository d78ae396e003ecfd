import { type Diagnostic, isBoughError } from "bough";
import { plainLine } from "bough/outline";
import type { Unreadable } from "./catalog.ts";
import type { Cli } from "./cli.ts";
import { shownName } from "./shown-name.ts";

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

/**
 * On standard error: what might hold more than was found, and why it can't be read. What is not of the project is counted,
 * for those who found nothing.
 */
export async function explainUnreadable(
  { stderr }: Cli,
  { here, elsewhere }: Unreadable,
  isEmpty: boolean,
): Promise<void> {
  for (const { path, id, error } of here) {
    await stderr.line(`can't be read: ${shownName(path ?? id ?? "?")} (${reasonOf(error)})`);
  }
  if (isEmpty && elsewhere > 0) {
    const places = elsewhere === 1 ? "1 place" : `${elsewhere} places`;
    await stderr.line(`${places} elsewhere can't be read; \`bough list --all\` says which.`);
  }
}

function reasonOf(error: unknown): string {
  if (!isBoughError(error)) return plainLine(error instanceof Error ? error.message : String(error));
  const { errno } = error.details as { readonly errno?: unknown };
  return `${error.code}: ${typeof errno === "string" ? plainLine(errno) : plainLine(error.message)}`;
}
