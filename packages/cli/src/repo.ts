import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Durability, SessionRepo } from "bough";
import { JsonlStore } from "bough/jsonl";
import type { Cli } from "./cli.ts";

export interface UseRepoOptions {
  /** When an entry counts as stored; `turn` unless given. */
  readonly durability?: Durability;
}

/** The default store, for as long as `work` takes. */
export async function withRepo<T>(
  cli: Cli,
  options: UseRepoOptions,
  work: (repo: SessionRepo) => Promise<T>,
): Promise<T> {
  const { durability = "turn" } = options;
  const store = new JsonlStore({ root: storeRoot(cli), durability });
  const repo = new SessionRepo({ store, cwd: cli.cwd, durability });
  try {
    return await work(repo);
  } finally {
    await repo.close();
  }
}

export function storeRoot(cli: Cli): string {
  return join(boughHome(cli), "sessions");
}

/** Where all that bough keeps for a user is. */
export function boughHome({ env, cwd }: Cli): string {
  return env.BOUGH_HOME ? resolve(cwd, env.BOUGH_HOME) : join(homedir(), ".bough");
}
