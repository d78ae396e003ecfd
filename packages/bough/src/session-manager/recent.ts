import type { SessionHeader } from "../entry/header.ts";
import { scanHead } from "../format/head-scan.ts";
import { lineText } from "../format/line-text.ts";
import { cwdMatcher } from "../storage/files/cwd.ts";
import { closeDescriptor, type FileSystem, nodeFileSystem, readFully } from "../storage/files/file-system.ts";
import { sessionFiles } from "../storage/jsonl/session-files.ts";
import { openToRead, readHeaderOf } from "../storage/jsonl/session-lines.ts";

/** What a synchronous caller asks of a folder of sessions: headers are read, and the ends of files, never whole ones. */

/** The file of `cwd` with the newest message; undefined if `root` has none of `cwd`. A session without messages is as new as its header. */
export function newestSession(root: string, cwd: string, fileSystem: FileSystem = nodeFileSystem): string | undefined {
  let newest: { readonly path: string; readonly time: number } | undefined;
  for (const { path, header } of sessionsOf(root, cwd, fileSystem)) {
    const time = timeOf(path, header, fileSystem);
    if (newest === undefined || time > newest.time) newest = { path, time };
  }
  return newest?.path;
}

/** The file of `cwd` with exactly this session id. */
export function sessionOfId(
  root: string,
  cwd: string,
  id: string,
  fileSystem: FileSystem = nodeFileSystem,
): string | undefined {
  return sessionsOf(root, cwd, fileSystem, id).find(({ header }) => header.id === id)?.path;
}

interface KnownFile {
  readonly path: string;
  readonly header: SessionHeader;
}

/** Files whose header names `cwd`, those with `id` in their names first. What can't be read is left out. */
function* sessionsOf(root: string, cwd: string, fileSystem: FileSystem, id = ""): Generator<KnownFile, undefined> {
  const isWanted = cwdMatcher(cwd);
  const paths = sessionFiles(root, fileSystem).flatMap(({ path, error }) => (error === undefined ? [path] : []));
  const named = paths.filter((path) => path.includes(id));
  for (const path of [...named, ...paths.filter((path) => !path.includes(id))]) {
    const header = headerOf(path, fileSystem);
    if (header && isWanted(header.cwd)) yield { path, header };
  }
}

function headerOf(path: string, fileSystem: FileSystem): SessionHeader | undefined {
  try {
    return readHeaderOf(path, fileSystem).header;
  } catch {
    return undefined;
  }
}

function timeOf(path: string, header: SessionHeader, fileSystem: FileSystem): number {
  const created = Date.parse(header.timestamp) || 0;
  try {
    return lastMessageTime(path, fileSystem) ?? created;
  } catch {
    return created;
  }
}

const usualTail = 64 << 10;

/** Reads from the end no further than to the last message. */
function lastMessageTime(path: string, fileSystem: FileSystem): number | undefined {
  const { fd, stat } = openToRead(path, fileSystem);
  const { size } = stat;
  try {
    for (let length = Math.min(size, usualTail); ; length = Math.min(size, length * 8)) {
      const tail = new Uint8Array(length);
      readFully(fileSystem, fd, tail, size - length);
      const time = messageTimeIn(tail, length === size);
      if (time !== undefined || length === size) return time;
    }
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** Of the last message among the lines; a first line that may have lost its beginning says nothing. */
function messageTimeIn(bytes: Uint8Array, isWhole: boolean): number | undefined {
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(newline, end - 1) + 1;
    if (start === 0 && !isWhole) return undefined;
    const { type, timestamp } = scanHead(lineText({ bytes: bytes.subarray(start, end), start: -1 }).text);
    const time = type === "message" && typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    end = start - 1;
  }
  return undefined;
}

const newline = 0x0a;
