import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SessionRepo } from "bough";
import type { Cli } from "./cli.ts";

const agents = [
  { name: "pi", folder: ".pi/agent/sessions" },
  { name: "oh-my-pi", folder: ".omp/agent/sessions" },
] as const;

export interface Emptiness {
  readonly isWholeStore: boolean;
  readonly cwd: string;
}

/** For a list that came out empty, on standard error: where sessions are, and how to get at them. */
export async function welcome(cli: Cli, repo: SessionRepo, { isWholeStore, cwd }: Emptiness): Promise<void> {
  const { stderr } = cli;
  for await (const _ of repo.scan({ signal: cli.signal })) {
    if (isWholeStore) return;
    await stderr.line(`${cwd} has no sessions. \`bough list --all\` lists those of other projects.`);
    return;
  }
  await stderr.line("No sessions yet.");
  for (const agent of agents) {
    const folder = join(cli.env.HOME ?? homedir(), agent.folder);
    const files = await sessionFiles(folder);
    if (files.length === 0) continue;
    await stderr.line(`\n${agent.name} has ${files.length} in ${folder}. To look at one:`);
    await stderr.line(`  bough ${shellWord(join(folder, files.sort().at(-1) as string))}`);
  }
  await stderr.line("\n`bough demo` makes one to look at, `bough append --new` one to fill.");
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
