import type { Stats } from "node:fs";
import { resolve } from "node:path";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import { lineText } from "../format/line-text.ts";
import { type Line, LineSplitter } from "../format/lines.ts";
import { SessionDecoder } from "../format/session-decoder.ts";
import { noHeader } from "../format/stored-header.ts";
import { storageError } from "../storage/files/file-errors.ts";
import {
  closeDescriptor,
  type FileSystem,
  nodeFileSystem,
  readFully,
  uninterrupted,
} from "../storage/files/file-system.ts";
import { realPath } from "../storage/files/real-path.ts";
import { LimitedLine } from "../storage/jsonl/limited-line.ts";
import { sessionFiles } from "../storage/jsonl/session-files.ts";
import { openToRead } from "../storage/jsonl/session-lines.ts";
import { type ShortenedSizes, shortenedLine } from "../storage/jsonl/shortened-line.ts";
import { headsIn } from "./file-heads.ts";
import { decodedMark, encodedMark, type FileMark, guardLength, type ReadSoFar } from "./file-mark.ts";
import type { Sieve } from "./sieve.ts";
import { SievedReader } from "./sieved-reader.ts";
import type { CatalogSource, FoundSession, SessionPiece, SiftTaker, SourceRecord } from "./source.ts";

export interface FileSourceOptions {
  readonly name: string;
  readonly root: string;
  readonly fileSystem?: FileSystem;
}

/** Session files below a directory: a store of bough's, or the folder of pi or oh-my-pi. */
export function fileSource({ name, root, fileSystem = nodeFileSystem }: FileSourceOptions): CatalogSource {
  const store = realPath(resolve(root), fileSystem);
  const reader = new SievedReader(fileSystem);
  return {
    name,
    id: store,
    sessions: () => foundFiles(store, fileSystem),
    look: (place) => statOf(place, fileSystem),
    sift: ({ place }, sieve, taker) => sift(place, reader, sieve, taker),
    heads: ({ place }, use) => headsIn(place, fileSystem, use),
    read: (session, since) => readPieces(session.place, decodedMark(since), fileSystem),
  };
}

function* foundFiles(store: string, fileSystem: FileSystem): Generator<FoundSession> {
  for (const { path, error } of sessionFiles(store, fileSystem)) {
    const found = error === undefined ? statOf(path, fileSystem) : unseen(path, error);
    if (found) yield found;
  }
}

function statOf(path: string, fileSystem: FileSystem): FoundSession | undefined {
  try {
    const stat = uninterrupted(() => fileSystem.statSync(path, { throwIfNoEntry: false }));
    if (!stat) return undefined;
    // The getter of `mtime` costs more than the call.
    return { place: path, path, stamp: stampOf(stat), time: new Date(stat.mtimeMs) };
  } catch (error) {
    return unseen(path, storageError(error, { operation: "look", path }));
  }
}

function stampOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}

function unseen(path: string, error: unknown): FoundSession {
  return { place: path, path, stamp: "", time: new Date(0), error };
}

/** Ids that an upgrade gives depend on all lines before: of older forms all has to be read. */
function sift(path: string, reader: SievedReader, sieve: Sieve, { wants, take }: SiftTaker): boolean {
  const { fileSystem } = reader;
  const { fd, stat } = openToRead(path, fileSystem);
  try {
    const extent = { fd, size: stat.size };
    const decoder = new SessionDecoder({ path });
    // Parsed where a line passes: most often none does.
    let header: Line | undefined;
    let isHead = true;
    for (const line of reader.lines(extent, sieve, () => isHead)) {
      if (isHead && !wants && isUsualHeader(line)) {
        header = { ...line, bytes: Uint8Array.from(line.bytes) };
        isHead = false;
        continue;
      }
      if (header) {
        decoder.decode(header);
        if (!decoder.header) return false;
        header = undefined;
      }
      const { entry } = decoder.decode(limited(line));
      if (isHead && decoder.header) {
        isHead = false;
        if (wants && !wants(decoder.header)) return true;
        if (decoder.access === "migrate") return false;
      } else if (entry && !take(entry, line.start)) return true;
    }
    if (!header && !decoder.header) throw noHeader(path);
    return true;
  } catch (error) {
    throw storageError(error, { operation: "read", path });
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** As the current version's begin that pi and bough write. */
const usualHeader = Buffer.from(`{"type":"session","version":${CURRENT_SESSION_VERSION},`);

function isUsualHeader({ bytes, start, terminated }: Line): boolean {
  const front = bytes.subarray(0, usualHeader.length);
  return start === 0 && terminated && usualHeader.equals(front);
}

/** In bytes. Of longer lines the catalog knows the beginnings of what is in them, so that no line takes much more memory. */
const longestWhole = 8 << 20;
const sizesOfLonger: ShortenedSizes = { string: 8 << 20, member: 4 << 20, line: 12 << 20 };

function limited(line: Line): Line {
  return line.bytes.length <= longestWhole ? line : { ...line, bytes: shortenedLine([line.bytes], sizesOfLonger) };
}

const chunkSize = 1 << 20;
const pieceSize = 2 << 20;

function* readPieces(path: string, since: FileMark | undefined, fileSystem: FileSystem): Generator<SessionPiece> {
  const { fd, stat } = openToRead(path, fileSystem);
  try {
    const { dev, ino, size } = stat;
    const file = { path, fd, size, dev, ino, stamp: stampOf(stat), fileSystem };
    const goesOn = since !== undefined && isContinued(since, file);
    yield* new PieceReader(file, goesOn ? since : undefined).pieces();
  } catch (error) {
    throw storageError(error, { operation: "read", path });
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly stamp: string;
  readonly fileSystem: FileSystem;
}

/**
 * Whether the file is the one that was read, and only longer. What stood right before the mark tells whether it was
 * written anew in place; a title that oh-my-pi keeps in front of the header is written anew all the time.
 */
function isContinued(mark: FileMark, file: OpenFile): boolean {
  if (mark.dev !== file.dev || mark.ino !== file.ino || file.size <= mark.offset) return false;
  const bytesAt = (start: number, length: number) => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readFully(file.fileSystem, file.fd, bytes, start)).toString("latin1");
  };
  if (bytesAt(mark.offset - mark.guard.length, mark.guard.length) !== mark.guard) return false;
  if (mark.endsInNewline === false && bytesAt(mark.offset, 1) !== "\n") return false;
  return mark.head.length < 2 || bytesAt(0, headLength(mark)) === Buffer.from(headText(mark)).toString("latin1");
}

function headText({ head }: FileMark): string {
  return head.map((line) => `${line}\n`).join("");
}

function headLength(mark: FileMark): number {
  return Buffer.byteLength(headText(mark));
}

class PieceReader {
  readonly #file: OpenFile;
  readonly #decoder: SessionDecoder;
  readonly #splitter: LineSplitter;
  readonly #isContinued: boolean;
  /** The lines up to the header. */
  readonly #head: string[] = [];
  /** Bytes in front of `#at`: those read last, and in front of them as many as guard a mark. */
  readonly #room: Buffer;
  #used = guardLength;
  #at: number;
  #read: ReadSoFar;
  #records: SourceRecord[] = [];
  #bytes = 0;
  #isFirst = true;

  constructor(file: OpenFile, mark: FileMark | undefined) {
    this.#file = file;
    this.#decoder = new SessionDecoder({ path: file.path });
    this.#isContinued = mark !== undefined;
    this.#at = mark?.offset ?? 0;
    this.#read = { offset: this.#at, guard: mark?.guard ?? "", endsInNewline: mark?.endsInNewline ?? true };
    this.#splitter = new LineSplitter(this.#at, () => new LimitedLine(longestWhole, sizesOfLonger));
    this.#room = Buffer.alloc(guardLength + Math.min(chunkSize, file.size - this.#at));
    this.#room.write(this.#read.guard, guardLength - this.#read.guard.length, "latin1");
    for (const line of mark?.head ?? []) this.#primeWith(line);
  }

  *pieces(): Generator<SessionPiece> {
    for (let chunk = this.#nextChunk(); chunk.length > 0; chunk = this.#nextChunk()) {
      for (const line of this.#splitter.push(chunk)) this.#take(line);
      if (this.#bytes >= pieceSize && this.#decoder.header) yield this.#piece([]);
    }
    const tail = this.#splitter.end();
    const torn = tail ? this.#takeTail(tail) : [];
    if (!this.#decoder.header) throw noHeader(this.#file.path);
    yield this.#piece(torn);
  }

  #nextChunk(): Uint8Array {
    const { fd, size, fileSystem } = this.#file;
    this.#room.copyWithin(0, this.#used - guardLength, this.#used);
    const wanted = this.#room.subarray(guardLength, guardLength + size - this.#at);
    const read = readFully(fileSystem, fd, wanted, this.#at);
    this.#used = guardLength + read;
    this.#at += read;
    return wanted.subarray(0, read);
  }

  #primeWith(line: string): void {
    const bytes = Buffer.from(line);
    this.#head.push(line);
    this.#decoder.decode({ bytes, start: 1, end: bytes.length + 1, terminated: true });
  }

  #take(line: Line): void {
    const record = this.#decoded(line);
    this.#advance(line);
    if (record.entry || record.damage.length > 0) this.#records.push(record);
  }

  /** A whole record counts although nothing ends it yet. */
  #takeTail(tail: Line): SourceRecord["damage"] {
    const isHeader = this.#decoder.header === undefined;
    const record = this.#decoded(tail);
    if (!record.entry && !(isHeader && this.#decoder.header)) return record.damage;
    this.#advance(tail);
    this.#records.push(record);
    return [];
  }

  #decoded(line: Line): SourceRecord {
    const isInFront = this.#decoder.header === undefined;
    if (isInFront && line.bytes.length > 0) this.#head.push(lineText(line).text);
    try {
      const { entry, diagnostics } = this.#decoder.decode(line);
      return { ...(entry && { entry }), damage: diagnostics.map(({ code }) => code) };
    } catch (error) {
      if (isInFront || isBoughError(error)) throw error;
      return { damage: ["malformed_line"] };
    }
  }

  #advance({ bytes, end, terminated }: Line): void {
    const guardEnd = this.#used - (this.#at - end);
    const guard = this.#room.toString("latin1", guardEnd - Math.min(guardLength, end), guardEnd);
    this.#read = { offset: end, guard, endsInNewline: terminated };
    this.#bytes += bytes.length;
  }

  #piece(tail: SessionPiece["tail"]): SessionPiece {
    const kind = this.#isContinued || !this.#isFirst ? "more" : "fresh";
    const records = this.#records;
    const bytes = this.#bytes;
    this.#records = [];
    this.#bytes = 0;
    this.#isFirst = false;
    const header = this.#decoder.header as SessionHeader;
    return { kind, header, records, stamp: this.#file.stamp, mark: this.#mark(), tail, bytes };
  }

  /** Files of older forms are read anew when they change, which they hardly do: ids there depend on all lines before. */
  #mark(): string {
    const { dev, ino } = this.#file;
    const isResumable = this.#decoder.access !== "migrate";
    return isResumable ? encodedMark({ dev, ino, head: this.#head, ...this.#read }) : "";
  }
}
