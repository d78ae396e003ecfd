import { posix, resolve, win32 } from "node:path";
import { isSpelledAlike, normalizePath } from "../../session/cwd-spelling.ts";
import { truePath } from "./real-path.ts";

/** Whether two working directories, as sessions or people wrote them, are one: the comparison of every store of files. */
export function isSameCwd(a: string, b: string, platform: string = process.platform): boolean {
  return a === b || isSpelledAlike(cwdIdentity(a, platform), cwdIdentity(b, platform), platform);
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

/**
 * The real path, as far as there is one: of a directory that is gone, or was another machine's, the rest is as spelled. So is
 * a relative one: where it was relative to, nobody knows any more.
 */
export function cwdIdentity(cwd: string, platform: string): string {
  const isHere = platform === "win32" ? win32.isAbsolute(cwd) : posix.isAbsolute(cwd);
  if (!isHere) return normalizePath(cwd, platform);
  const path = platform === "win32" ? normalizePath(cwd, platform) : resolve(cwd);
  return normalizePath(truePath(path), platform);
}
