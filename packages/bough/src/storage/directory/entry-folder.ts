import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { SessionDecoder } from "../../format/session-decoder.ts";
import { isMissing } from "../files/file-errors.ts";
import { type FileSystem, readWhole, uninterrupted } from "../files/file-system.ts";
import { seqOf } from "./entry-name.ts";

/** A file of the folder that holds an entry. */
export interface EntryFile {
  readonly name: string;
  readonly seq: number;
  readonly entry: SessionTreeEntry;
}

/** What came and went since the last look. */
export interface Found {
  readonly files: readonly EntryFile[];
  readonly diagnostics: readonly Diagnostic[];
  readonly gone: ReadonlySet<string>;
}

/**
 * The folder of a session's entries as it is looked at again and again. What can't be read as an entry is told once,
 * and read again whenever it changed: a tool may copy a file bit by bit.
 */
export class EntryFolder {
  readonly path: string;
  readonly #fileSystem: FileSystem;
  readonly #decoder: SessionDecoder;
  readonly #known = new Set<string>();
  /** Files that are no entries, with their size and time. */
  readonly #rejected = new Map<string, string>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  #stampAtRest: string | undefined;

  constructor(path: string, decoder: SessionDecoder, fileSystem: FileSystem) {
    this.path = path;
    this.#decoder = decoder;
    this.#fileSystem = fileSystem;
  }

  /** What is wrong with the files that are there. */
  get diagnostics(): Diagnostic[] {
    return [...this.#diagnostics.values()].flat();
  }

  /** Another one when a name came or went, as far as the file system's clock tells. Undefined if there is no folder. */
  stamp(): string | undefined {
    const stat = this.#stat(this.path);
    return stat && `${stat.dev}-${stat.ino}-${stat.mtimeNs}`;
  }

  /** Reads what is new. Lists the names only if `stamp`, the present one, leaves a doubt. */
  look(stamp: string | undefined): Found {
    if (stamp !== undefined && stamp === this.#stampAtRest && this.#rejected.size === 0) return nothing;
    const names = stamp === undefined ? [] : uninterrupted(() => this.#fileSystem.readdirSync(this.path));
    this.#stampAtRest = stamp !== undefined && isAtRest(stamp) ? stamp : undefined;
    const files: EntryFile[] = [];
    const diagnostics: Diagnostic[] = [];
    for (const name of names) {
      if (this.#known.has(name) || name.startsWith(".") || !this.#isNews(name)) continue;
      const read = this.#read(name);
      if (read.file) files.push(read.file);
      diagnostics.push(...read.diagnostics);
      this.#note(name, read);
    }
    return { files, diagnostics, gone: this.#forgetMissing(new Set(names)) };
  }

  /** Takes a file as known that was just put here. */
  admit(name: string): void {
    this.#known.add(name);
  }

  /** Undefined if the file is gone. */
  bytesOf(name: string): Uint8Array | undefined {
    try {
      return readWhole(this.#fileSystem, join(this.path, name));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Whether a file that is not known as an entry has changed since it was rejected, if it was. */
  #isNews(name: string): boolean {
    const stat = this.#stat(join(this.path, name));
    if (!stat) return false;
    // Where there are no links, an empty file keeps a name until its content is there.
    if (stat.isFile() && stat.size === 0n) return false;
    const seen = `${stat.ino}-${stat.size}-${stat.mtimeNs}`;
    if (this.#rejected.get(name) === seen) return false;
    this.#rejected.set(name, seen);
    return true;
  }

  #read(name: string): FileRead {
    const seq = seqOf(name);
    if (seq === undefined)
      return { diagnostics: [{ code: "malformed_line", message: `${name} is no file of an entry` }] };
    const bytes = this.#readableBytes(name);
    if (!bytes) return { diagnostics: [{ code: "malformed_line", message: `${name} can't be read` }] };
    const decoded = this.#decoder.decode({ bytes, start: 0, end: bytes.length, terminated: true });
    const diagnostics = decoded.diagnostics.map((diagnostic) => inFile(diagnostic, name));
    return decoded.entry ? { file: { name, seq, entry: decoded.entry }, diagnostics } : { diagnostics };
  }

  #readableBytes(name: string): Uint8Array | undefined {
    try {
      return this.bytesOf(name);
    } catch {
      // A file that may not be read, or a folder: it costs itself.
      return undefined;
    }
  }

  #note(name: string, { file, diagnostics }: FileRead): void {
    if (file) {
      this.#known.add(name);
      this.#rejected.delete(name);
    }
    if (diagnostics.length > 0) this.#diagnostics.set(name, diagnostics);
    else this.#diagnostics.delete(name);
  }

  #forgetMissing(names: ReadonlySet<string>): ReadonlySet<string> {
    const gone = new Set<string>();
    for (const name of this.#known) if (!names.has(name)) gone.add(name);
    for (const name of gone) this.#known.delete(name);
    for (const name of this.#rejected.keys()) if (!names.has(name)) this.#rejected.delete(name);
    for (const name of this.#diagnostics.keys()) if (!names.has(name)) this.#diagnostics.delete(name);
    return gone;
  }

  #stat(path: string): BigIntStats | undefined {
    return uninterrupted(() => this.#fileSystem.statSync(path, { bigint: true, throwIfNoEntry: false }));
  }
}

interface FileRead {
  readonly file?: EntryFile;
  readonly diagnostics: readonly Diagnostic[];
}

const nothing: Found = { files: [], diagnostics: [], gone: new Set() };

/** Two changes within a tick of the clock leave one time, so a fresh time promises nothing about what follows. */
const tick = 100_000_000n;

function isAtRest(stamp: string): boolean {
  const changed = BigInt(stamp.slice(stamp.lastIndexOf("-") + 1));
  return BigInt(Date.now()) * 1_000_000n - changed > tick;
}

function inFile({ code, entryId, message }: Diagnostic, name: string): Diagnostic {
  return { code, ...(entryId !== undefined && { entryId }), message: `${name}: ${message}` };
}
