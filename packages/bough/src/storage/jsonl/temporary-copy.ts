import { join } from "node:path";
import { errnoOf, storageError } from "../files/file-errors.ts";
import { closeDescriptor, type FileSystem, uninterrupted } from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";
import { discard, giveName } from "../files/publish.ts";
import { temporaryName } from "../files/temporary-name.ts";
import type { Extent } from "./session-lines.ts";

const chunkSize = 1 << 20;
/** More than so much is not copied once more to save a call. */
const worthACall = 1 << 18;

interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const ownFile: Owned = { mode: 0o600, uid: 0, gid: 0 };

/** A file while it has no name that counts. Whoever could not read the file it is to replace can't read it either. */
export class TemporaryCopy {
  readonly #path: string;
  readonly #fs: FileSystem;
  readonly #fd: number;
  #size = 0;
  #state: "temporary" | "kept" | "renamed" = "temporary";

  constructor(folder: string, fs: FileSystem, like: Owned = ownFile) {
    const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = nodeFs.constants;
    this.#path = join(folder, temporaryName());
    this.#fs = fs;
    this.#fd = uninterrupted(() => fs.openSync(this.#path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    try {
      if (process.getuid?.() === 0 && like.uid !== 0) nodeFs.fchownSync(this.#fd, like.uid, like.gid);
      fs.fchmodSync(this.#fd, like.mode & 0o600);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get extent(): Extent {
    return { fd: this.#fd, size: this.#size };
  }

  get isInPlace(): boolean {
    return this.#state === "renamed";
  }

  write(pieces: Iterable<Uint8Array>): void {
    let waiting: Uint8Array[] = [];
    let size = 0;
    for (const piece of pieces) {
      const isLarge = piece.length >= worthACall;
      if (!isLarge) {
        waiting.push(piece);
        size += piece.length;
        if (size < chunkSize) continue;
      }
      if (size > 0) this.append(Buffer.concat(waiting));
      if (isLarge) this.append(piece);
      waiting = [];
      size = 0;
    }
    if (size > 0) this.append(Buffer.concat(waiting));
  }

  append(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += uninterrupted(() => this.#fs.writeSync(this.#fd, bytes, written, bytes.length - written));
    }
    this.#size += bytes.length;
  }

  sync(): void {
    uninterrupted(() => this.#fs.fdatasyncSync(this.#fd));
  }

  /** Gives it a name that is free. Throws `already_exists`. */
  publish(path: string): void {
    giveName(this.#path, path, { fileSystem: this.#fs, sync: false });
  }

  /** Where the name is blocked for good, the copy stays, and the error names it. */
  rename(path: string): void {
    try {
      patiently(() => uninterrupted(() => this.#fs.renameSync(this.#path, path)));
      this.#state = "renamed";
    } catch (error) {
      this.#state = "kept";
      throw storageError(error, { operation: "rename", path: this.#path });
    }
  }

  close(): void {
    closeDescriptor(this.#fs, this.#fd);
    if (this.#state === "temporary") discard(this.#path, this.#fs);
  }
}

const blocked: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
const pauses = [1, 5, 20, 50, 100, 200, 400];

/** Scanners and indexers hold files for a moment, and on Windows a held file can't be replaced. */
function patiently(work: () => void): void {
  for (const pause of pauses) {
    try {
      work();
      return;
    } catch (error) {
      if (!blocked.has(errnoOf(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  work();
}
