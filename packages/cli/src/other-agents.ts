import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SessionRepo } from "bough";
import type { Cli } from "./cli.ts";
import { shownName } from "./shown-name.ts";

export interface Agent {
  /** What it calls itself. */
  readonly title: string;
  /** What one types. */
  readonly name: "pi" | "omp";
  /** Where it keeps sessions, below the home. */
  readonly folder: string;
}

export const agents: readonly Agent[] = [
  { title: "pi", name: "pi", folder: ".pi/agent/sessions" },
  { title: "oh-my-pi", name: "omp", folder: ".omp/agent/sessions" },
];

export function sessionsOf({ env }: Cli, { name, folder }: Agent): { readonly name: string; readonly root: string } {
  return { name, root: join(env.HOME ?? homedir(), folder) };
}

export interface Emptiness {
  readonly isWholeStore: boolean;
  readonly cwd: string;
  /** Something could not be read. */
  readonly mayHoldMore: boolean;
}

/** For a list that came out empty, on standard error: where sessions are, and how to get at them. */
export async function welcome(
  cli: Cli,
  repo: SessionRepo,
  { isWholeStore, cwd, mayHoldMore }: Emptiness,
): Promise<void> {
  const { stderr } = cli;
  for await (const _ of repo.scan({ signal: cli.signal })) {
    if (isWholeStore) return;
    const none = mayHoldMore ? "no sessions that can be read" : "no sessions";
    await stderr.line(`${shownName(cwd)} has ${none}. \`bough list --all\` lists those of other projects.`);
    return;
  }
  await stderr.line("No sessions yet.");
  for (const agent of agents) {
    const { root } = sessionsOf(cli, agent);
    const files = await sessionFiles(root);
    if (files.length === 0) continue;
    await stderr.line(`\n${agent.title} has ${files.length} in ${shownName(root)}. To list them, and to look at one:`);
    await stderr.line(`  bough list --all --source ${agent.name}`);
    await stderr.line(`  bough ${shellWord(shownName(join(root, files.sort().at(-1) as string)))}`);
  }
  await stderr.line("\n`bough chat` begins one, `bough demo` makes one to look at, `bough append --new` one to fill.");
}

async function sessionFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".jsonl"));
  } catch {
    return [];
  }
}

function shellWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
