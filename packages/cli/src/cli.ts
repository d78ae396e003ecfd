import type { Readable } from "node:stream";
import { Output } from "./output.ts";

/** What a command may use of the world around it. */
export interface Cli {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A command's work; a number is its exit code, nothing means 0. */
export type Command<Options> = (cli: Cli, args: readonly string[], options: Options) => Promise<number | undefined>;

/** How long a command has to end in order after Ctrl-C. */
const patience = 1000;

export function processCli(): Cli {
  const interrupted = new AbortController();
  process.once("SIGINT", () => {
    interrupted.abort(new Interrupted());
    setTimeout(() => process.exit(130), patience).unref();
    process.once("SIGINT", () => process.exit(130));
  });
  // Without a handler nobody could end what the program has started.
  process.once("SIGHUP", () => process.exit(129));
  process.once("SIGTERM", () => process.exit(143));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endQuietlyOnClosedPipe);
  return {
    stdin: process.stdin,
    stdout: new Output(process.stdout),
    stderr: new Output(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    signal: interrupted.signal,
  };
}

export class Interrupted extends Error {}

/** Whoever reads a pipe may stop, as `head` does. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}
