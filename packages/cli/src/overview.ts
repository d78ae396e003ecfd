import { writeSync } from "node:fs";
import { commandGroups, commandTable } from "./command-table.ts";
import { hanging } from "./hanging.ts";

/** Asked for alone it needs nothing that runs commands. */
export function asksForOverview([first, ...rest]: readonly string[]): boolean {
  return rest.length === 0 && (first === "--help" || first === "-h" || first === "help");
}

/** What `bough --help` says. */
export function overview(): string {
  const groups = commandGroups.map((group) => {
    const rows: Row[] = commandTable
      .filter((row) => row.group === group)
      .map((row) => [`${row.name} ${row.arguments}`.trim(), row.summary]);
    return section(group, group === "Try" ? [...rows, help] : rows);
  });
  return [introduction, section("Options", options), ...groups, closing].join("\n\n");
}

/**
 * Prints it past the stream of standard output, which alone takes as long to come up as a third of Node; what a pipe has
 * no room for waits there.
 */
export function printOverview(): void {
  const bytes = Buffer.from(overview());
  let printed = 0;
  try {
    while (printed < bytes.length) printed += writeSync(1, bytes, printed);
  } catch {
    process.stdout.on("error", () => process.exit(0)).write(bytes.subarray(printed));
  }
}

type Row = readonly [term: string, description: string];

const options: readonly Row[] = [
  ["-V, --version", "print the version"],
  ["-h, --help", "print help; `bough help <command>` says more"],
];
const help: Row = ["help [command]", "say more about a command"];

const columns = { indent: 34, lineLength: 80 };

function section(title: string, rows: readonly Row[]): string {
  return [
    `${title}:`,
    ...rows.map(([term, description]) => `  ${term}`.padEnd(columns.indent) + hanging(description, columns)),
  ].join("\n");
}

const introduction = `Usage: bough [command]

An agent's conversations as trees: look, go back, continue, share.`;

const closing = `A session is given as a path, an id or the start or end of one (four characters
or more), its name, or @ for the newest of this project. An entry is given as an
id or the start or end of one, @LABEL, leaf, leaf~N or root.

Examples:
  bough demo                           see what it is about
  bough chat --model demo              talk with a script, offline
  bough ~/.pi/agent/sessions/…/x.jsonl look at a session of another agent
  bough tree                           draw the newest session of this project
  bough goto @ leaf~2                  go back two entries and go on from there
  bough export --markdown              write down the conversation
`;
