import type { Stats } from "node:fs";
import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import { type Line, LineSplitter } from "../../format/lines.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { noHeader, type SessionAccess } from "../../format/stored-header.ts";
import { noSession } from "../../session/missing.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { closeDescriptor, type FileSystem, readFully, uninterrupted } from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";

/** The first `size` bytes of an open file. */
export interface Extent {
  readonly fd: number;
  readonly size: number;
}

/** The lines in order, an unterminated one last. Holds one chunk and one line; a line is valid until the next is asked for. */
export function* linesOf(extent: Extent, fileSystem: FileSystem, chunkSize = 1 << 20): Generator<Line> {
  const splitter = new LineSplitter();
  const room = new Uint8Array(Math.min(chunkSize, extent.size));
  for (const chunk of chunksOf(extent, fileSystem, room)) yield* splitter.push(chunk);
  const rest = splitter.end();
  if (rest) yield rest;
}

/** The bytes in order, as many at a time as there is room for. They end early where the file does. */
export function* chunksOf({ fd, size }: Extent, fileSystem: FileSystem, room: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const read = readFully(fileSystem, fd, room.subarray(0, Math.min(room.length, size - at)), at);
    if (read === 0) return;
    at += read;
    yield room.subarray(0, read);
  }
}

export interface EntryLine {
  readonly line: Line;
  readonly entry?: SessionTreeEntry;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the lines say, in order, lines that hold no entry included. Throws `invalid_session` where there is no header. */
export function* decodedLines(
  extent: Extent,
  fileSystem: FileSystem,
  decoder: SessionDecoder = new SessionDecoder(),
): Generator<EntryLine> {
  for (const line of linesOf(extent, fileSystem)) yield { line, ...decoder.decode(line) };
  if (!decoder.header) throw noHeader();
}

export interface FileHeader {
  readonly header: SessionHeader;
  /** As stored. */
  readonly version: number;
  readonly access: SessionAccess;
}

const usualHeader = 16 << 10;

/** Reads no further than the header. */
export function readHeaderOf(path: string, fileSystem: FileSystem): FileHeader {
  const { fd, stat } = openToRead(path, fileSystem);
  const { size } = stat;
  try {
    const decoder = new SessionDecoder({ path });
    if (size === 0) throw noSession(path);
    for (const line of linesOf({ fd, size }, fileSystem, usualHeader)) {
      decoder.decode(line);
      const { header, version, access } = decoder;
      if (header) return { header, version, access };
    }
    throw noHeader(path);
  } catch (error) {
    throw storageError(error, { operation: "read", path });
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

export interface OpenedFile {
  readonly fd: number;
  /** When it was opened. */
  readonly stat: Stats;
}

/** Never waits for a pipe, and takes nothing but a file. Rejects with `not_found` only if nothing is there. */
export function openToRead(path: string, fileSystem: FileSystem): OpenedFile {
  const flags = nodeFs.constants.O_RDONLY | (nodeFs.constants.O_NONBLOCK ?? 0);
  try {
    const fd = uninterrupted(() => fileSystem.openSync(path, flags));
    let file: OpenedFile | undefined;
    try {
      const stat = uninterrupted(() => fileSystem.fstatSync(fd));
      if (stat.isFile()) file = { fd, stat };
    } finally {
      if (!file) closeDescriptor(fileSystem, fd);
    }
    if (file) return file;
  } catch (error) {
    if (isMissing(error)) throw new SessionError("not_found", `${path} is not there`, { what: "session", id: path });
    throw storageError(error, { operation: "open", path });
  }
  throw new SessionError("invalid_session", `${path} is not a file`, { path, reason: "not_a_file" });
}
