import { homedir } from "node:os";
import { join } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { cwdIdentity } from "../files/cwd.ts";
import { nodeCrypto } from "../files/node-modules.ts";

/** Where sessions live unless told otherwise: `$BOUGH_HOME/sessions`, `~/.bough/sessions`. */
export function defaultStore(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.BOUGH_HOME || join(homedir(), ".bough"), "sessions");
}

/** The folder of a project's sessions. Different projects have different names; the header's cwd decides, this is a shortcut. */
export function projectFolder(cwd: string, platform: string = process.platform): string {
  return folderNameOf(cwdIdentity(cwd, platform));
}

export function sessionFileName(header: Pick<SessionHeader, "id" | "timestamp">): string {
  return `${header.timestamp.replace(/[^0-9A-Za-z-]/g, "-")}_${header.id}.jsonl`;
}

/** Of a normalised path. */
export function folderNameOf(path: string): string {
  const hash = nodeCrypto().hash("sha256", path).slice(0, 12);
  return `${slugOf(path) || "project"}-${hash}`;
}

const longestSlug = 40;

function slugOf(path: string): string {
  const last = path.split(/[\\/]/).findLast((component) => component !== "") ?? "";
  const slug = last.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return slug.slice(0, longestSlug).replace(/^-+|-+$/g, "");
}
