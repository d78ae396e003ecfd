import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { nodeCrypto, nodeFs } from "../files/node-modules.ts";

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

/** Whether two working directories, as sessions or people wrote them, are one: the only comparison of them there is. */
export function isSameCwd(a: string, b: string, platform: string = process.platform): boolean {
  return a === b || comparable(cwdIdentity(a, platform), platform) === comparable(cwdIdentity(b, platform), platform);
}

/** As `isSameCwd`, for one directory and many others, each of which is looked up once. */
export function cwdMatcher(cwd: string, platform: string = process.platform): (other: string) => boolean {
  const known = new Map<string, boolean>();
  return (other) => {
    let isSame = known.get(other);
    if (isSame === undefined) {
      isSame = isSameCwd(cwd, other, platform);
      known.set(other, isSame);
    }
    return isSame;
  };
}

/** The real path where there is one; a directory that is gone, or was another machine's, by its spelling. */
function cwdIdentity(cwd: string, platform: string): string {
  if (isWindowsPath(cwd, platform) && platform !== "win32") return normalizePath(cwd, platform);
  const path = platform === "win32" ? normalizePath(cwd, platform) : resolve(cwd);
  return normalizePath(realPath(path), platform);
}

function realPath(path: string): string {
  try {
    return nodeFs.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** One spelling a path: composed Unicode, no trailing separator; of a Windows path one prefix, slash and drive case too. */
export function normalizePath(path: string, platform: string): string {
  const composed = path.normalize("NFC");
  if (!isWindowsPath(composed, platform)) return composed.replace(/(?<=.)\/+$/, "");
  return composed
    .replace(/\//g, "\\")
    .replace(/^\\\\[?.]\\UNC\\/i, "\\\\")
    .replace(/^\\\\[?.]\\/, "")
    .replace(/(?<=.)\\+/g, "\\")
    .replace(/^[a-z](?=:)/, (drive) => drive.toUpperCase())
    .replace(/(?<=[^:\\])\\$/, "");
}

/** By its form, so that sessions of a Windows machine are told apart elsewhere too. */
function isWindowsPath(path: string, platform: string): boolean {
  return platform === "win32" || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

/** Windows finds a directory whatever the case. */
function comparable(path: string, platform: string): string {
  return isWindowsPath(path, platform) ? path.toLowerCase() : path;
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
