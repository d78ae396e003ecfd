import type { SessionError } from "../../errors.ts";
import { storageError } from "../files/file-errors.ts";
import {
  closeDescriptor,
  dataSync,
  type FileSystem,
  type Inode,
  sameInode,
  uninterrupted,
} from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";
import { lineBreak, newline } from "./own-line.ts";

/**
 * The writing end of a session file: a descriptor that can only append, opened late and kept.
 *
 * Syncing is by group commit: one `fdatasync` is in flight at most, it covers what was written before it began, and
 * whoever comes meanwhile shares the next. A failed sync leaves pages that a second sync would call clean although
 * they never reached the disk. So everything written since the last good sync is kept in memory, and is written again
 * through a fresh descriptor and synced there before anybody is told that it is safe. Readers meet such records
 * twice, under the same ids.
 */
export class AppendFile {
  readonly #path: string;
  readonly #fileSystem: FileSystem;
  readonly #keepsUnsynced: boolean;
  /** The writes `#synced + 1` to `#written`, one element each; empty if they aren't kept. */
  #unsynced: Uint8Array[] = [];
  #written = 0;
  #synced = 0;
  #descriptor: Descriptor | undefined;
  /** Of the file that was written to last. */
  #inode: Inode | undefined;
  /** A sync failed, and what it was to make safe has not been written again yet. */
  #suspect = false;
  #closed = false;
  #isCommitting = false;
  #waiters: Waiter[] = [];

  /** Without `keepsUnsynced`, what a failed sync was to make safe stays unknown. */
  constructor(path: string, options: { readonly fileSystem: FileSystem; readonly keepsUnsynced: boolean }) {
    this.#path = path;
    this.#fileSystem = options.fileSystem;
    this.#keepsUnsynced = options.keepsUnsynced;
  }

  /** Opens the file unless it is open; never creates one. Errors are the file system's. */
  open(): Inode {
    return this.#open().inode;
  }

  /** Gives the descriptor up, so that the next write goes to whatever the path leads to then. */
  release(): void {
    this.#retire();
    this.#inode = undefined;
  }

  /** Appends with one call and returns how many bytes were taken; they are the caller's again then. Errors are the file system's: nothing was taken. */
  write(bytes: Uint8Array): number {
    const { fd, inode } = this.#open();
    this.#inode = inode;
    const taken = uninterrupted(() => this.#fileSystem.writeSync(fd, bytes, 0, bytes.length, null));
    const whole = taken === bytes.length ? bytes : bytes.subarray(0, bytes.subarray(0, taken).lastIndexOf(newline) + 1);
    if (whole.length === 0) return taken;
    this.#written++;
    if (this.#keepsUnsynced) this.#unsynced.push(Buffer.from(whole));
    return taken;
  }

  /** Resolves when everything written before the call is on disk; rejects with `storage_io`, outcome `unknown`. */
  sync(): Promise<void> {
    if (this.#synced === this.#written) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (!this.#isCommitting) void this.#commitAll();
    });
  }

  /** As `sync`, and blocks. */
  syncNow(): void {
    const mark = this.#written;
    if (this.#synced === mark) return;
    try {
      if (this.#suspect) {
        this.#writeAgain();
      } else {
        const { fd } = this.#open();
        uninterrupted(() => this.#fileSystem.fdatasyncSync(fd));
        this.#settle(mark);
      }
    } catch (error) {
      this.#recover(error);
    }
  }

  /** Gives the descriptor up, once a sync in flight is done with it. */
  close(): void {
    this.#closed = true;
    this.#retire();
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    // One turn of the loop first: those whom the last sync released write again, and belong to this one.
    for (await nextTurn(); this.#waiters.length > 0; await nextTurn()) {
      const waiters = this.#waiters;
      this.#waiters = [];
      try {
        // Who came while a sync was under way may have got from it all that there was to get.
        if (this.#synced < this.#written) await this.#commit(this.#written);
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        for (const { reject } of waiters) reject(error);
      }
    }
    this.#isCommitting = false;
  }

  async #commit(mark: number): Promise<void> {
    try {
      if (this.#suspect) {
        this.#writeAgain();
        return;
      }
      let descriptor: Descriptor;
      do {
        descriptor = this.#open();
        await descriptor.sync();
        // Where the file was exchanged meanwhile, what counts is the file that is there now.
      } while (!this.#closed && this.#open() !== descriptor);
      this.#settle(mark);
    } catch (error) {
      this.#recover(error);
    }
  }

  #recover(error: unknown): void {
    if (this.#suspect || this.#closed || !this.#keepsUnsynced) {
      this.#retire();
      throw this.#uncertain(error);
    }
    this.#suspect = true;
    try {
      this.#writeAgain();
    } catch (again) {
      throw this.#uncertain(again);
    }
  }

  #writeAgain(): void {
    const mark = this.#written;
    const before = this.#inode;
    this.#retire();
    const after = this.open();
    if (before && !sameInode(before, after)) throw new Error(`${this.#path} was replaced before it was synced`);
    const { fd } = this.#open();
    // A newline before each: nothing is known of what the failed sync left at the end of the file.
    const bytes = Buffer.concat(this.#unsynced.flatMap((written) => [lineBreak, written]));
    if (bytes.length > 0 && uninterrupted(() => this.#fileSystem.writeSync(fd, bytes)) < bytes.length) {
      throw new Error(`${this.#path} took only a part of a write`);
    }
    uninterrupted(() => this.#fileSystem.fdatasyncSync(fd));
    this.#suspect = false;
    this.#settle(mark);
  }

  #settle(mark: number): void {
    if (mark <= this.#synced) return;
    if (this.#keepsUnsynced) this.#unsynced.splice(0, mark - this.#synced);
    this.#synced = mark;
  }

  #open(): Descriptor {
    this.#descriptor ??= new Descriptor(this.#path, this.#fileSystem);
    return this.#descriptor;
  }

  #retire(): void {
    this.#descriptor?.retire();
    this.#descriptor = undefined;
  }

  #uncertain(cause: unknown): SessionError {
    return storageError(cause, { operation: "sync", path: this.#path, outcome: "unknown" });
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const appendFlags =
  nodeFs.constants.O_WRONLY |
  nodeFs.constants.O_APPEND |
  (nodeFs.constants.O_NOFOLLOW ?? 0) |
  (nodeFs.constants.O_NONBLOCK ?? 0);

/** A descriptor that is closed when it is given up and no sync uses it any more. */
class Descriptor {
  readonly fd: number;
  readonly inode: Inode;
  readonly #fileSystem: FileSystem;
  #syncs = 0;
  #retired = false;

  constructor(path: string, fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
    this.fd = uninterrupted(() => fileSystem.openSync(path, appendFlags));
    try {
      const { dev, ino } = uninterrupted(() => fileSystem.fstatSync(this.fd));
      this.inode = { dev, ino };
    } catch (error) {
      closeDescriptor(fileSystem, this.fd);
      throw error;
    }
  }

  async sync(): Promise<void> {
    this.#syncs++;
    try {
      await dataSync(this.#fileSystem, this.fd);
    } finally {
      this.#syncs--;
      if (this.#retired) this.#close();
    }
  }

  retire(): void {
    this.#retired = true;
    this.#close();
  }

  #close(): void {
    if (this.#syncs === 0) closeDescriptor(this.#fileSystem, this.fd);
  }
}
