import { constants, type Stats } from "node:fs";
import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { type EntryHead, headOf, type Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import { type Line, LineSplitter } from "../../format/lines.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import type { SessionAccess } from "../../format/stored-header.ts";
import { EntryCache } from "../files/entry-cache.ts";
import { closeDescriptor, type FileSystem, type Inode, readFully, uninterrupted } from "../files/file-system.ts";
import { LineTable, type TableLine } from "./line-table.ts";
import type { OwnLine } from "./own-line.ts";
import { readRanges } from "./read-ranges.ts";

const chunkSize = 1 << 20;
const cacheSize = 8 << 20;
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The reading end of one file (one inode, whatever its path leads to later): its entries' heads and where their lines
 * stand. The descriptor stays open, so a deleted file can still be read.
 *
 * Only whole lines are taken in. What stands after the last newline is looked at when the file is opened: it is an
 * entry if it is whole, else a `torn_tail`. Later it may be a record that somebody is writing, so nothing is said
 * about it before its newline comes.
 */
export class SessionFile {
  readonly inode: Inode;
  readonly #fd: number;
  readonly #fileSystem: FileSystem;
  readonly #decoder: SessionDecoder;
  #splitter = new LineSplitter();
  readonly #table = new LineTable();
  readonly #cache = new EntryCache(cacheSize);
  #size = 0;
  #endsInNewline = true;
  #tornAt: number | undefined;
  #news: FileNews = { heads: [], diagnostics: [] };

  /** Reads the file to its end. Errors are the file system's, `invalid_session` and `unsupported_version`. */
  constructor(path: string, fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
    this.#decoder = new SessionDecoder({ path });
    this.#fd = uninterrupted(() => fileSystem.openSync(path, readFlags));
    try {
      const stat = uninterrupted(() => fileSystem.fstatSync(this.#fd));
      this.inode = { dev: stat.dev, ino: stat.ino };
      this.#readFirst(path, stat);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get header(): SessionHeader {
    return this.#decoder.header as SessionHeader;
  }

  get access(): SessionAccess {
    return this.#decoder.access;
  }

  /** How much of the file was taken in; 0 is an empty file, and no session. */
  get size(): number {
    return this.#size;
  }

  get endsInNewline(): boolean {
    return this.#endsInNewline;
  }

  /**
   * Takes in what was added up to `size`. Returns false, and takes nothing in, if the file was not only added to. If
   * reading fails halfway, the next call goes on there.
   */
  grow(size: number): boolean {
    const overlap = this.#endsInNewline && this.#size > 0 ? 1 : 0;
    const chunk = Buffer.allocUnsafe(Math.min(size - this.#size + overlap, chunkSize));
    for (let skip = overlap; this.#size < size; skip = 0) {
      const wanted = Math.min(chunk.length, size - this.#size + skip);
      const read = readFully(this.#fileSystem, this.#fd, chunk.subarray(0, wanted), this.#size - skip);
      if (skip > 0 && chunk[0] !== newline) return false;
      if (read <= skip) return false;
      this.#take(chunk.subarray(skip, read));
    }
    return true;
  }

  /** Takes in lines that are known to stand at the end of the file, one after the other, whole. */
  admit(lines: readonly OwnLine[]): void {
    for (const { entry, bytes } of lines) {
      const start = this.#size;
      this.#size += bytes.length + 1;
      this.#decoder.skip({ start, end: this.#size, terminated: true });
      if (entry) this.#add(headOf(entry, start), { start, bytes });
    }
    this.#splitter = new LineSplitter(this.#size);
  }

  /** What was taken in since the last call. */
  takeNews(): FileNews {
    const news = this.#news;
    this.#news = { heads: [], diagnostics: [] };
    return news;
  }

  /** Whether the file has this very line. */
  holds({ id, bytes }: OwnLine): boolean {
    for (const line of this.#table.allOf(id)) {
      if (line.length === bytes.length && Buffer.compare(this.#bytesOf(line), bytes) === 0) return true;
    }
    return false;
  }

  has(id: string): boolean {
    return this.#table.of(id) !== undefined;
  }

  /** The line of an entry as it stands in the file; undefined if it isn't there any more. */
  lineOf(id: string): OwnLine | undefined {
    const line = this.#table.of(id);
    if (line === undefined) return undefined;
    const bytes = this.#bytesOf(line);
    return this.#decoder.redecode(bytes, line.head).type === "damaged" ? undefined : { id, bytes };
  }

  read(positions: readonly Position[]): readonly SessionTreeEntry[] {
    const entries = new Map<Position, SessionTreeEntry>();
    const missing: TableLine[] = [];
    for (const position of new Set(positions)) {
      const cached = this.#cache.get(position);
      if (cached) entries.set(position, cached);
      else missing.push(this.#lineAt(position));
    }
    const ranges = missing.map(({ head, length }) => ({ start: head.position, length, head }));
    for (const { range, bytes } of readRanges(this.#fileSystem, this.#fd, ranges)) {
      const entry = this.#decoder.redecode(bytes, range.head);
      this.#cache.set(range.start, entry, range.length);
      entries.set(range.start, entry);
    }
    return positions.map((position) => entries.get(position) as SessionTreeEntry);
  }

  close(): void {
    closeDescriptor(this.#fileSystem, this.#fd);
  }

  #readFirst(path: string, stat: Stats): void {
    if (!stat.isFile()) throw notASession(path, "not_a_file");
    if (stat.size === 0) return;
    this.grow(stat.size);
    const tail = this.#splitter.end();
    if (tail) this.#receiveTail(tail);
    if (this.#decoder.header === undefined) throw notASession(path, "no_header");
  }

  #take(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#endsInNewline = bytes[bytes.length - 1] === newline;
    for (const line of this.#splitter.push(bytes)) this.#receive(line);
  }

  #receive(line: Line): void {
    const last = this.#table.last;
    if (last?.head.position === line.start && last.length === line.bytes.length) {
      this.#decoder.skip(line);
      return;
    }
    const { entry, diagnostics } = this.#decoder.decode(line);
    const isKnownToBeTorn = line.start === this.#tornAt && !entry;
    if (!isKnownToBeTorn) this.#news.diagnostics.push(...diagnostics);
    if (entry) this.#add(headOf(entry, line.start), line);
  }

  #receiveTail(tail: Line): void {
    const { entry, diagnostics } = this.#decoder.decode(tail);
    this.#news.diagnostics.push(...diagnostics);
    if (entry) this.#add(headOf(entry, tail.start), tail);
    else this.#tornAt = tail.start;
  }

  #add(head: EntryHead, { start, bytes }: Pick<Line, "start" | "bytes">): void {
    const isRepeated = this.#table.add(head, bytes.length);
    this.#news.heads.push(head);
    if (!isRepeated) return;
    const range = { line: this.#decoder.lineNumber, byteStart: start, byteEnd: start + bytes.length };
    const message = `${head.id} was there before; the last record of an id counts`;
    this.#news.diagnostics.push({ code: "duplicate_id", ...range, entryId: head.id, message });
  }

  #lineAt(position: Position): TableLine {
    const line = this.#table.at(position);
    if (line === undefined) throw new RangeError(`no entry at position ${position}`);
    return line;
  }

  #bytesOf({ head, length }: TableLine): Uint8Array {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readFully(this.#fileSystem, this.#fd, bytes, head.position));
  }
}

export interface FileNews {
  readonly heads: EntryHead[];
  readonly diagnostics: Diagnostic[];
}

const newline = 0x0a;

function notASession(path: string, reason: string): SessionError {
  return new SessionError("invalid_session", `${path} is no session`, { path, reason });
}
