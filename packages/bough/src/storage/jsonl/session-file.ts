import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { type EntryHead, headAt, headOf, type Position } from "../../entry/head.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import { type Line, LineSplitter } from "../../format/lines.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { noHeader, type SessionAccess } from "../../format/stored-header.ts";
import type { EntryRecord, OlderStretch, OlderUse, ReadUse, RecordRun, StoredLines } from "../../session/entry-log.ts";
import { closeDescriptor, type FileSystem, type Inode, readFully, uninterrupted } from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";
import { type BlockContent, BlockReader } from "./block-reader.ts";
import { LimitedLine } from "./limited-line.ts";
import { LineBodies } from "./line-bodies.ts";
import { LineBytes, longestHeld } from "./line-bytes.ts";
import { LineTable, type TableLine } from "./line-table.ts";
import { type Block, type BlockSizes, LinesBefore, lineStart } from "./lines-before.ts";
import { bytesOf, idOf, lineBreak, newline, type OwnLine, type StoredLine } from "./own-line.ts";
import { packedRanges } from "./read-ranges.ts";
import { SeenEnd } from "./seen-end.ts";
import type { ShortenedSizes } from "./shortened-line.ts";

const chunkSize = 1 << 20;
/** What a head says is kept as it is, but for what nobody would write there. */
const sizesOfHeads: ShortenedSizes = { string: 1 << 20, member: 1 << 20, line: 4 << 20 };
const usualHeader = 16 << 10;
const readAtOnce = 1024;
/** What is near is less than is kept of bodies. */
const usualSizes: EndSizes = { first: 64 << 10, most: 256 << 10, near: 6 << 20 };
const readFlags = nodeFs.constants.O_RDONLY | (nodeFs.constants.O_NONBLOCK ?? 0);

/** How a file is read from its end, in bytes. */
export interface EndSizes extends BlockSizes {
  /**
   * So much of the end is read whole where bodies will be asked for. Of what is before there may be many times as much,
   * so heads are packed.
   */
  readonly near: number;
}

/**
 * The reading end of one file (one inode, whatever its path leads to later): its entries' heads and where their lines
 * stand. The descriptor stays open, so a deleted file can still be read.
 *
 * A file of the current form is read from its end: first its last block, then, when asked, what stands before. There
 * the front of a message's line is enough for its head; what is wrong with the rest shows when its body is read.
 *
 * Only whole lines are taken in. What stands after the last newline is looked at when the file is opened: it is an
 * entry if it is whole, else a `torn_tail`. Later it may be a record that somebody is writing, so nothing is said
 * about it before its newline comes.
 */
export class SessionFile {
  readonly inode: Inode;
  readonly #path: string;
  readonly #fd: number;
  readonly #fileSystem: FileSystem;
  #decoder: SessionDecoder;
  #splitter = splitterAt(0);
  #table = new LineTable();
  readonly #bytes: LineBytes;
  readonly #bodies: LineBodies;
  /** Undefined once the beginning of the file was reached. */
  #before: UnreadLines | undefined;
  /** Somebody was told that nothing stands before what was handed out. */
  #isExhausted = false;
  /** Read before anybody asked, the last stretch first. */
  readonly #stretches: OlderStretch[] = [];
  /** Of lines that nobody will ask for, since a later one has their id. */
  #superseded: Position[] = [];
  /** Of entries before what was handed out when somebody first asked. */
  #olderTypes: ReadonlySet<string> | undefined;
  /** Lines whose ids a later one has, which nobody was told of. */
  #repetitions: Diagnostic[] = [];
  #size = 0;
  #end = new SeenEnd();
  #endsInNewline = true;
  #tornAt: number | undefined;
  #news: FileNews = { heads: [], diagnostics: [] };
  /** Of pieces of lines that were taken in. */
  #damagedIds: string[] = [];

  /** Errors are the file system's, `invalid_session` and `unsupported_version`. */
  constructor(path: string, fileSystem: FileSystem, sizes: EndSizes = usualSizes) {
    this.#path = path;
    this.#fileSystem = fileSystem;
    this.#decoder = new SessionDecoder({ path });
    this.#fd = uninterrupted(() => fileSystem.openSync(path, readFlags));
    this.#bytes = new LineBytes(fileSystem, this.#fd);
    this.#bodies = new LineBodies(this.#bytes);
    try {
      const stat = uninterrupted(() => fileSystem.fstatSync(this.#fd));
      if (!stat.isFile()) throw notASession(path, "not_a_file");
      this.inode = { dev: stat.dev, ino: stat.ino };
      if (!this.#readEnd(stat.size, sizes)) this.#readAll(stat.size);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Reads every line, in order, instead of how the file ends: as long as nothing was handed out. */
  readWhole(): void {
    if (this.#before === undefined) return;
    const size = this.#size;
    this.#before = undefined;
    this.#decoder = new SessionDecoder({ path: this.#path });
    this.#splitter = splitterAt(0);
    this.#table = new LineTable();
    this.#news = { heads: [], diagnostics: [] };
    this.#size = 0;
    this.#end = new SeenEnd();
    this.#readAll(size);
  }

  get header(): SessionHeader {
    return this.#decoder.header as SessionHeader;
  }

  get access(): SessionAccess {
    return this.#decoder.access;
  }

  /** Up to where the file was taken in; 0 is an empty file, and no session. */
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
    const seen = this.#end.bytes;
    const chunk = Buffer.allocUnsafe(Math.min(size - this.#size + seen.length, chunkSize));
    for (let skip = seen.length; this.#size < size; skip = 0) {
      const wanted = Math.min(chunk.length, size - this.#size + skip);
      const read = readFully(this.#fileSystem, this.#fd, chunk.subarray(0, wanted), this.#size - skip);
      if (read <= skip) return false;
      if (skip > 0 && !seen.every((byte, at) => byte === chunk[at])) return false;
      this.#take(chunk.subarray(skip, read));
    }
    return true;
  }

  /** Takes in an entry whose line is known to stand at the end of the file, whole; `length` is without the newline. */
  admit({ head, json }: EntryRecord, length: number): void {
    const start = this.#size;
    this.#bodies.keepWritten(start, json, length);
    this.#size += length + 1;
    this.#end.seeLine(json);
    this.#decoder.skip({ start, end: this.#size, terminated: true });
    this.#splitter.skip(length + 1);
    this.#add(headAt(start, head), length);
  }

  /** The ids of damaged lines that were taken in since the last call. */
  takeDamagedIds(): readonly string[] {
    const ids = this.#damagedIds;
    this.#damagedIds = [];
    return ids;
  }

  /** What was taken in since the last call. */
  takeNews(): FileNews {
    const news = this.#news;
    this.#news = { heads: [], diagnostics: [] };
    return news;
  }

  /** As `OlderRecords.next`. */
  older(use?: OlderUse): OlderStretch | undefined {
    const stretch = this.#stretches.shift() ?? this.#readBlock(use);
    if (stretch || !this.#isExhausted) {
      this.#isExhausted = stretch === undefined;
      return stretch;
    }
    this.#indexIds();
    this.read(this.#superseded, "shape");
    this.#superseded = [];
    const diagnostics = [...this.#repetitions, ...this.#bodies.takeFindings()];
    this.#repetitions = [];
    return diagnostics.length === 0 ? undefined : { heads: [], diagnostics };
  }

  #indexIds(): void {
    for (const { line, repeatedBy } of this.#table.indexIds()) {
      this.#repetitions.push(repeated(repeatedBy));
      this.#superseded.push(line.head.position);
    }
  }

  /** As `OlderRecords.mayHold`. */
  mayHoldOlder(type: string): boolean {
    for (const { heads } of this.#stretches) for (const head of heads) if (head.type === type) return true;
    if (this.#before === undefined) return false;
    this.#olderTypes ??= typesIn(this.#before);
    return this.#olderTypes.has(type);
  }

  /** The ids of entries that were never handed out, as far as they can be read. */
  leftIds(): ReadonlySet<string> {
    try {
      while (this.#readOn());
    } catch {
      // The file is about to be left for the one that took its place, and nothing else of it is wanted.
    }
    return new Set(this.#stretches.flatMap(({ heads }) => Array.from(heads, ({ id }) => id)));
  }

  /** Whether the file has this very line, and none behind it that is a piece of it: the last of an id counts. */
  holds(own: OwnLine): boolean {
    const id = idOf(own);
    const bytes = bytesOf(own);
    do {
      this.#indexIds();
      for (const line of this.#table.allOf(id)) {
        if (line.length === bytes.length && Buffer.compare(this.#bytesOf(line), bytes) === 0) return this.hasWhole(id);
      }
    } while (this.#readOn());
    return false;
  }

  has(id: string): boolean {
    return this.#lineWith(id) !== undefined;
  }

  /** Whether the file has an entry, and more of it than its head. */
  hasWhole(id: string): boolean {
    const line = this.#lineWith(id);
    return line !== undefined && line.head.type !== "damaged";
  }

  #lineWith(id: string): TableLine | undefined {
    do {
      this.#indexIds();
      const line = this.#table.of(id);
      if (line !== undefined) return line;
    } while (this.#readOn());
    return undefined;
  }

  /** The line of an entry as it stands in the file; undefined if it isn't there any more, or was never asked for. */
  lineOf(id: string): StoredLine | undefined {
    this.#indexIds();
    const line = this.#table.of(id);
    if (line === undefined) return undefined;
    const bytes = this.#bytesOf(line);
    return this.#decoder.redecode(bytes, line.head).type === "damaged" ? undefined : { id, bytes };
  }

  /** A stretch of positions at a time: what it takes to look up and to read many at once is more than the entries. */
  read(positions: readonly Position[], use: ReadUse = "content"): readonly SessionTreeEntry[] {
    if (positions.length <= readAtOnce) return this.#read(positions, use);
    const entries: SessionTreeEntry[] = [];
    for (let from = 0; from < positions.length; from += readAtOnce) {
      for (const entry of this.#read(positions.slice(from, from + readAtOnce), use)) entries.push(entry);
    }
    return entries;
  }

  #read(positions: readonly Position[], use: ReadUse): readonly SessionTreeEntry[] {
    const cached = new Map<Position, SessionTreeEntry>();
    const missing: TableLine[] = [];
    for (const position of new Set(positions)) {
      const entry = this.#bodies.cached(position);
      if (entry) cached.set(position, entry);
      else missing.push(this.#lineAt(position));
    }
    const read = this.#bodies.read(missing, use, this.#decoder);
    return positions.map((position) => (cached.get(position) ?? read.get(position)) as SessionTreeEntry);
  }

  /** As `EntryLog.storedLines`; errors of reading are the file system's. */
  storedLines(runs: readonly RecordRun[]): StoredLines | undefined {
    if (!this.#decoder.isCurrent) return undefined;
    return packedRanges(this.#fileSystem, this.#fd, this.#table.rangesOf(runs));
  }

  close(): void {
    closeDescriptor(this.#fileSystem, this.#fd);
  }

  /** False for a file that is small, or not of the current form: nothing was taken in then. */
  #readEnd(size: number, sizes: EndSizes): boolean {
    if (size <= sizes.first) return false;
    const begin = this.#readHeader(Math.min(usualHeader, size));
    if (begin === undefined) return false;
    const isTerminated = this.#bytes.at(size - 1, 1)[0] === newline;
    const end = isTerminated ? size : lineStart(this.#fileSystem, this.#fd, { begin, end: size }, sizes.first);
    this.#decoder.leaveOrder();
    const lines = new LinesBefore(this.#fileSystem, this.#fd, { begin, end }, sizes);
    const reader = new BlockReader(this.#decoder, (position, length) =>
      this.#bytes.shape(position, length, sizesOfHeads),
    );
    this.#before = { lines, reader, near: end - sizes.near, isSmall: end - begin <= sizes.near };
    const last = lines.next();
    if (last) this.#takeLast(last, reader);
    this.#end.see(last && last.longLine === undefined ? last.bytes : lineBreak);
    this.#size = end;
    this.#splitter = splitterAt(end);
    if (end < size) this.grow(size);
    const tail = this.#splitter.end();
    if (tail) this.#receiveTail(tail);
    return true;
  }

  /** Where the first line behind the header begins; undefined if there is none of the current form at the front. */
  #readHeader(limit: number): number | undefined {
    const front = Buffer.allocUnsafe(limit);
    readFully(this.#fileSystem, this.#fd, front, 0);
    const decoder = new SessionDecoder();
    try {
      for (const line of new LineSplitter().push(front)) {
        const { diagnostics } = decoder.decode(line);
        if (diagnostics.length > 0) return undefined;
        if (decoder.header === undefined) continue;
        if (decoder.access !== "append") return undefined;
        this.#decoder = decoder;
        return line.end;
      }
    } catch {
      // Whoever reads the file from its beginning says what is wrong with it.
    }
    return undefined;
  }

  #readAll(size: number): void {
    if (size === 0) return;
    this.grow(size);
    const tail = this.#splitter.end();
    if (tail) this.#receiveTail(tail);
    if (this.#decoder.header === undefined) throw noHeader(this.#path);
  }

  #readOn(): boolean {
    const stretch = this.#readBlock();
    if (stretch) this.#stretches.push(stretch);
    return stretch !== undefined;
  }

  /** The last block is read whole: most of what is asked for first stands there. */
  #takeLast(block: Block, reader: BlockReader): void {
    const content = this.#wholeContent(block, reader);
    this.#table.addBefore(content.heads, content.lengths);
    this.#news.diagnostics.push(...content.diagnostics);
    for (const head of content.heads) this.#news.heads.push(head);
  }

  #nearContent(block: Block, reader: BlockReader, use: OlderUse): BlockContent {
    return use === "bodies" ? this.#wholeContent(block, reader) : reader.fronts(block);
  }

  #wholeContent(block: Block, reader: BlockReader): BlockContent {
    return reader.whole(block, (entry, position, length) => this.#bodies.keep(position, entry, length));
  }

  #readBlock(use: OlderUse = "some"): OlderStretch | undefined {
    if (this.#before === undefined) return undefined;
    const { lines, reader, near, isSmall } = this.#before;
    const block = lines.next();
    if (block === undefined) {
      this.#before = undefined;
      return undefined;
    }
    const isOfMany = block.position < near || (use === "all" && !isSmall);
    const content = isOfMany ? reader.packedFronts(block) : this.#nearContent(block, reader, use);
    this.#table.addBefore(content.heads, content.lengths);
    return content;
  }

  #take(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#end.see(bytes);
    this.#endsInNewline = bytes[bytes.length - 1] === newline;
    for (const line of this.#splitter.push(bytes)) this.#receive(line);
  }

  #receive(line: Line): void {
    const last = this.#table.last;
    if (last?.head.position === line.start && last.length === lengthOf(line)) {
      this.#decoder.skip(line);
      return;
    }
    const { entry, diagnostics } = this.#decoder.decode(line);
    const isKnownToBeTorn = line.start === this.#tornAt && !entry;
    if (!isKnownToBeTorn) this.#news.diagnostics.push(...diagnostics);
    if (entry) this.#add(headOf(entry, line.start), lengthOf(line));
  }

  #receiveTail(tail: Line): void {
    const { entry, diagnostics } = this.#decoder.decode(tail);
    this.#news.diagnostics.push(...diagnostics);
    if (entry) this.#add(headOf(entry, tail.start), lengthOf(tail));
    else this.#tornAt = tail.start;
  }

  #add(head: EntryHead, length: number): void {
    const line = { head, length };
    const isRepeated = this.#table.add(line);
    this.#news.heads.push(head);
    if (head.type === "damaged") this.#damagedIds.push(head.id);
    if (isRepeated) this.#news.diagnostics.push({ ...repeated(line), ...lineOf(this.#decoder) });
  }

  #lineAt(position: Position): TableLine {
    const line = this.#table.at(position);
    if (line === undefined) throw new RangeError(`no entry at position ${position}`);
    return line;
  }

  #bytesOf({ head, length }: TableLine): Uint8Array {
    return this.#bytes.at(head.position, length);
  }
}

/** What of a file was not read yet, and how it is. */
interface UnreadLines {
  readonly lines: LinesBefore;
  readonly reader: BlockReader;
  /** Where the end begins that is read in another way than the many lines before. */
  readonly near: Position;
  /** There are none before. */
  readonly isSmall: boolean;
}

function splitterAt(offset: number): LineSplitter {
  return new LineSplitter(offset, () => new LimitedLine(longestHeld, sizesOfHeads));
}

/** In the file, its newline left out. */
function lengthOf({ start, end, terminated }: Line): number {
  return end - start - (terminated ? 1 : 0);
}

function typesIn({ lines, reader }: UnreadLines): ReadonlySet<string> {
  const types = new Set<string>();
  const again = lines.again();
  for (let block = again.next(); block; block = again.next()) reader.addTypes(block, types);
  return types;
}

export interface FileNews {
  readonly heads: EntryHead[];
  readonly diagnostics: Diagnostic[];
}

function notASession(path: string, reason: string): SessionError {
  return new SessionError("invalid_session", `${path} is no session`, { path, reason });
}

function repeated({ head, length }: TableLine): Diagnostic {
  const range = { byteStart: head.position, byteEnd: head.position + length };
  const message = `${head.id} was there before; the last record of an id counts`;
  return { code: "duplicate_id", ...range, entryId: head.id, message };
}

function lineOf({ lineNumber }: SessionDecoder): { readonly line?: number } {
  return lineNumber === undefined ? {} : { line: lineNumber };
}
