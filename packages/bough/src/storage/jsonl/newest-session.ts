import type { SessionHeader } from "../../entry/header.ts";
import { SummaryFold } from "../../session/summary-fold.ts";
import { cwdMatcher } from "../files/cwd.ts";
import { closeDescriptor, type FileSystem, nodeFileSystem, readFully } from "../files/file-system.ts";
import { headerOf } from "./find-session.ts";
import { type LineStart, LineStarts } from "./line-starts.ts";
import { newline } from "./own-line.ts";
import { sessionFiles } from "./session-files.ts";
import { type Extent, openToRead } from "./session-lines.ts";
import { activityOfLine, longestScanned } from "./summary-scan.ts";

interface Dated {
  readonly path: string;
  readonly id: string;
  readonly time: number;
}

/**
 * The file of `cwd` that a list of it has first, for who can't wait for a list: headers are read, and the ends of files,
 * which tell when somebody last said something. Undefined if `root` has none of `cwd`. What can't be read is left out.
 */
export function newestSession(root: string, cwd: string, fileSystem: FileSystem = nodeFileSystem): string | undefined {
  const isWanted = cwdMatcher(cwd);
  let newest: Dated | undefined;
  for (const { path, error } of sessionFiles(root, fileSystem)) {
    const header = error === undefined ? headerOf(path, fileSystem) : undefined;
    const dated = header && isWanted(header.cwd) ? datedAt(path, header, fileSystem) : undefined;
    if (dated && (newest === undefined || isNewer(dated, newest))) newest = dated;
  }
  return newest?.path;
}

function isNewer(a: Dated, b: Dated): boolean {
  return a.time > b.time || (a.time === b.time && a.id > b.id);
}

function datedAt(path: string, header: SessionHeader, fileSystem: FileSystem): Dated | undefined {
  try {
    const { fd, stat } = openToRead(path, fileSystem);
    try {
      const fold = new SummaryFold(header);
      for (const time of lastActivities({ fd, size: stat.size }, fileSystem)) fold.addActivity(time);
      const { modified } = fold.info(new Date(Math.round(stat.mtimeMs)));
      return { path, id: header.id, time: Date.parse(modified) };
    } finally {
      closeDescriptor(fileSystem, fd);
    }
  } catch {
    return undefined;
  }
}

const usualTail = 64 << 10;

/** Those at the end of the file; further up nobody looks who has found one. */
function lastActivities(extent: Extent, fileSystem: FileSystem): readonly number[] {
  const { size } = extent;
  for (let length = Math.min(size, usualTail); ; length = Math.min(size, length * 8)) {
    const times: number[] = [];
    for (const line of linesFrom(size - length, extent, fileSystem)) {
      const time = activityOfLine(line);
      if (time !== undefined) times.push(time);
    }
    if (times.length > 0 || length === size) return times;
  }
}

const chunkSize = 64 << 10;

/** Whole lines: the first one may have lost its beginning. */
function* linesFrom(start: number, { fd, size }: Extent, fileSystem: FileSystem): Generator<LineStart, undefined> {
  const lines = new LineStarts(longestScanned);
  const room = Buffer.allocUnsafeSlow(Math.min(chunkSize, size - start));
  let isWhole = start === 0;
  for (let at = start; at < size; ) {
    const read = readFully(fileSystem, fd, room.subarray(0, size - at), at);
    if (read === 0) break;
    at += read;
    const cut = isWhole ? 0 : room.subarray(0, read).indexOf(newline) + 1;
    if (!isWhole && cut === 0) continue;
    isWhole = true;
    yield* lines.push(room.subarray(cut, read));
  }
  const rest = lines.end();
  if (rest) yield rest;
}
