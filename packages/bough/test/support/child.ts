import { spawn } from "node:child_process";

export interface Ended {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a TypeScript program of this repository from source, as its own process, to its end. */
export async function runProgram(
  file: string,
  args: readonly string[] = [],
  options: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly input?: string;
    /** Of another user, as whom it runs. */
    readonly identity?: { readonly uid: number; readonly gid: number };
  } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=bough-source", file, ...args], {
    ...options.identity,
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, exitCode] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
  ]);
  return { exitCode, stdout, stderr };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
