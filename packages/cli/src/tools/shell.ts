import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ShellOutcome {
  /** Of both streams as it came; of very much the end. */
  readonly output: string;
  /** Characters of the output that were forgotten. */
  readonly forgotten: number;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stopped?: "timeout" | "aborted";
}

const remembered = 1_000_000;
/** Milliseconds for a command to end in order, and for its output to arrive once it ended. */
const grace = 300;

/** Runs a command in a group of its own, so that what it started ends with it when it is stopped. */
export async function runInShell({ command, cwd, timeoutMs, signal }: ShellRequest): Promise<ShellOutcome> {
  const child = spawn(shellProgram(), ["-c", command], {
    cwd,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const output = new OutputTail();
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.add(text));
  let stopped: ShellOutcome["stopped"];
  const stop = (why: "timeout" | "aborted") => {
    stopped ??= why;
    killGroup(child.pid, "SIGTERM");
    setTimeout(() => killGroup(child.pid, "SIGKILL"), grace).unref();
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const onAbort = () => stop("aborted");
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
      // What it left in the background may hold its output open.
      child.once("exit", (code) => setTimeout(() => resolve(code), grace));
    });
    return { ...output, exitCode, ...(stopped && { stopped }) };
  } finally {
    running.delete(child);
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }
}

/** Commands under way. None outlives the program that is to tell what became of it. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const { pid } of running) killGroup(pid, "SIGKILL");
});

class OutputTail {
  output = "";
  forgotten = 0;

  add(text: string): void {
    this.output += text;
    if (this.output.length <= 2 * remembered) return;
    this.forgotten += this.output.length - remembered;
    this.output = this.output.slice(-remembered);
  }
}

/** What runs as another user can't be ended. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function shellProgram(): string {
  return process.platform === "win32" || existsSync("/bin/bash") ? "bash" : "sh";
}
