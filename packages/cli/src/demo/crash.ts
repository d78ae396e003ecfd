import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as later } from "node:timers/promises";
import type { Cli } from "../cli.ts";

export interface CrashRequest {
  readonly session: string;
  readonly prompt: string;
  /** The process is killed when this file is there. */
  readonly whenExists: string;
  readonly cwd: string;
}

const patience = 60_000;

/** Lets another process of this same program go on with a session, and kills it in the middle of a tool. */
export async function crashInMidTurn({ env, signal }: Cli, request: CrashRequest): Promise<void> {
  const { session, prompt, whenExists, cwd } = request;
  const program = [...process.execArgv, process.argv[1] as string];
  const args = ["chat", "--session", session, "--model", "demo", "--allow", "bash", "--print", prompt];
  const child = spawn(process.execPath, [...program, ...args], { cwd, env, stdio: "ignore" });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  try {
    for (const deadline = Date.now() + patience; !existsSync(whenExists); await later(10, undefined, { signal })) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error("the process that was to be killed ended by itself");
    }
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}
