import { statSync } from "node:fs";
import type { Session } from "bough";
import type { Cli } from "../cli.ts";

/** Where the tools of a session work: in its folder, and in the current one if that is gone. */
export function workFolder({ header: { cwd } }: Session, { cwd: current }: Pick<Cli, "cwd">): string {
  return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ? cwd : current;
}
