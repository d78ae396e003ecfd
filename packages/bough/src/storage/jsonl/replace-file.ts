import { dirname } from "node:path";
import { SessionError } from "../../errors.ts";
import { type Line, LineSplitter } from "../../format/lines.ts";
import { storageError } from "../files/file-errors.ts";
import { closeDescriptor, type FileSystem, readFully, sameInode, uninterrupted } from "../files/file-system.ts";
import { syncDirectory } from "../files/publish.ts";
import { keepBackup } from "./backup.ts";
import { lineBreak } from "./own-line.ts";
import { type Extent, openToRead } from "./session-lines.ts";
import { TemporaryCopy } from "./temporary-copy.ts";

/*
 * The one way in which a session's file is exchanged for another version of itself. At every moment the path leads to
 * a complete file, the old or the new; the old one stays under a name of its own; and a writer that knows nothing of
 * this and goes on appending to the old file loses nothing, because what grows there is carried over.
 */

export interface Replacement {
  /** Called once an attempt: what a conversion remembers between lines belongs to one reading of the file. */
  readonly conversion: (source: Extent) => LineConversion;
  /** Throws if the copy is not what was meant. Both are on disk and complete. */
  readonly verify: (source: Extent, copy: Extent) => void;
  /** The old file is kept as `<file>.<backup>.bak`, with a number where that is taken. */
  readonly backup: string;
}

/**
 * Called for each line in order; the answer, never a view of the line, is written in its place. An unterminated line may
 * come again once there is more of it.
 */
export type LineConversion = (line: Line) => Uint8Array;

/** Call it under the session's lease. Returns the path of the backup. */
export function replaceFile(path: string, replacement: Replacement, fileSystem: FileSystem): string {
  for (let round = 0; round < maxRounds; round++) {
    const backup = tryToReplace(path, replacement, fileSystem);
    if (backup !== undefined) return backup;
  }
  throw new SessionError("busy", `${path} was exchanged by others again and again`, { id: path });
}

function tryToReplace(path: string, replacement: Replacement, fileSystem: FileSystem): string | undefined {
  let exchange: Exchange | undefined;
  try {
    exchange = new Exchange(path, replacement, fileSystem);
    return exchange.run();
  } catch (error) {
    throw storageError(error, { operation: "replace", path, outcome: exchange?.isDone ? "unknown" : "not_written" });
  } finally {
    exchange?.close();
  }
}

const maxRounds = 5;
const chunkSize = 1 << 20;

class Exchange {
  readonly #path: string;
  readonly #replacement: Replacement;
  readonly #fs: FileSystem;
  readonly #convert: LineConversion;
  readonly #source: number;
  readonly #splitter = new LineSplitter();
  readonly #chunk = new Uint8Array(chunkSize);
  #consumed = 0;
  #tail: Line | undefined;
  #temporary: TemporaryCopy | undefined;

  constructor(path: string, replacement: Replacement, fileSystem: FileSystem) {
    this.#replacement = replacement;
    this.#fs = fileSystem;
    // The file itself, lest a link to it be exchanged for a file.
    this.#path = uninterrupted(() => fileSystem.realpathSync(path));
    this.#source = openToRead(this.#path, fileSystem).fd;
    this.#convert = this.#conversion();
  }

  #conversion(): LineConversion {
    try {
      return this.#replacement.conversion({ fd: this.#source, size: this.#stat().size });
    } catch (error) {
      closeDescriptor(this.#fs, this.#source);
      throw error;
    }
  }

  /** Undefined if someone else exchanged the file meanwhile, so that all has to begin again. */
  run(): string | undefined {
    const copy = new TemporaryCopy(dirname(this.#path), this.#fs, this.#stat());
    this.#temporary = copy;
    copy.write(this.#convertGrowth());
    copy.sync();
    if (!this.#isUntouched()) return undefined;
    this.#replacement.verify({ fd: this.#source, size: this.#consumed }, copy.extent);
    const backup = keepBackup(this.#path, this.#replacement.backup, this.#source, this.#fs);
    if (backup === undefined || !this.#isUntouched()) return undefined;
    this.#fs.fchmodSync(this.#source, this.#stat().mode & 0o600);
    copy.rename(this.#path);
    syncDirectory(dirname(this.#path), this.#fs);
    this.#carryOver(copy);
    return backup;
  }

  /** The path leads to the new file. */
  get isDone(): boolean {
    return this.#temporary?.isInPlace ?? false;
  }

  close(): void {
    this.#temporary?.close();
    closeDescriptor(this.#fs, this.#source);
  }

  *#convertGrowth(): Generator<Uint8Array> {
    for (;;) {
      const read = readFully(this.#fs, this.#source, this.#chunk, this.#consumed);
      if (read === 0) break;
      this.#consumed += read;
      for (const line of this.#splitter.push(this.#chunk.subarray(0, read))) {
        if (!this.#isTailWithNewline(line)) yield this.#convert(line);
      }
    }
    const tail = this.#splitter.end();
    if (tail && !this.#isTailWithNewline(tail)) yield this.#convert(tail);
    this.#tail = tail;
  }

  /** The last line has been dealt with already if its newline is all that came. */
  #isTailWithNewline(line: Line): boolean {
    return line.start === this.#tail?.start && line.bytes.length === this.#tail.bytes.length;
  }

  /** Someone who had the old file open may have gone on in it. Others are appending to the new one by now. */
  #carryOver(copy: TemporaryCopy): void {
    while (this.#stat().size > this.#consumed) {
      const grown = [...this.#convertGrowth()].filter((bytes) => bytes.length > 0);
      if (grown.length > 0) copy.append(Buffer.concat([lineBreak, ...grown]));
    }
  }

  #isUntouched(): boolean {
    const there = uninterrupted(() => this.#fs.statSync(this.#path));
    return sameInode(there, this.#stat()) && there.size >= this.#consumed;
  }

  #stat() {
    return uninterrupted(() => this.#fs.fstatSync(this.#source));
  }
}
