import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, runProgram } from "../../../bough/test/support/child.ts";

const program = resolve(import.meta.dirname, "../../src/main.ts");
/** Else every run strips the types of the whole engine anew. */
const compileCache = resolve(import.meta.dirname, "../../../../node_modules/.cache/bough-cli-tests");

export interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Of another user, as whom it runs. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** A folder with a store of its own, in which the real program runs as a process of its own. Gone after the test. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Standard output as JSON, of a command that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: what is printed has the shape that the test says
  json(args: readonly string[], options?: RunOptions): Promise<any>;
  /** Appends JSON values as lines to a new session; its path and the printed ids. */
  create(
    lines: readonly object[],
  ): Promise<{ readonly path: string; readonly id: string; readonly ids: readonly string[] }>;
}

export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "bough-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const run: Place["run"] = async (args, { input, env, identity } = {}) =>
    await runProgram(program, args, {
      cwd: folder,
      env: { NODE_COMPILE_CACHE: compileCache, BOUGH_HOME: home, HOME: folder, NO_COLOR: "1", ...env },
      ...(input !== undefined && { input }),
      ...(identity && { identity }),
    });
  const json: Place["json"] = async (args, options) => {
    const { stdout, stderr, exitCode } = await run([...args, "--json"], options);
    if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${exitCode} ${stderr}`);
    return JSON.parse(stdout);
  };
  const create: Place["create"] = async (lines) => {
    const { stdout } = await run(["append", "--new", "--json"], { input: linesOf(lines) });
    const [created, ...stored] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    return { ...created, ids: stored.map(({ id }) => id) };
  };
  return { folder, home, run, json, create };
}

export function linesOf(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export function user(content: string, rest: object = {}): object {
  return { role: "user", content, ...rest };
}

export function reply(content: unknown, rest: object = {}): object {
  return { role: "assistant", content, ...rest };
}
