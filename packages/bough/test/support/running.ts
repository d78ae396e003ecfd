import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A program of this repository that runs beside the test. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** Resolves with the next line it prints; rejects if it ends before. */
  nextLine(): Promise<string>;
  /** The lines that were not asked for yet, until it ends. */
  rest(): AsyncIterable<string>;
  /** Closes its standard input. */
  end(): void;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Kills it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a TypeScript program from source, as its own process. Dispose it. */
export function startProgram(file: string, args: readonly string[], nodeOptions: readonly string[] = []): Running {
  const child = spawn(process.execPath, ["--conditions=bough-source", ...nodeOptions, file, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = linesOf(child);
  const ended = once(child, "close").then(() => undefined);
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid as number,
    nextLine: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} ended early`);
      return value;
    },
    rest: () => lines,
    end: () => void child.stdin.end(),
    ended,
    signal: (name) => void child.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of (child.stdout as NodeJS.ReadableStream).setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    yield* lines;
  }
}
