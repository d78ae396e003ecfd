import { dirname } from "node:path";
import { storageError } from "../files/file-errors.ts";
import { closeDescriptor, dataSync, type FileSystem, uninterrupted } from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";
import { directorySync, syncDirectory, writeTemporary } from "../files/publish.ts";

type Contents = ReadonlyMap<string, Uint8Array | undefined>;

/**
 * The files of one folder that were written and are not on disk for certain. After a failed sync the system may call
 * pages clean that never reached the disk, so the files are then written anew beside their names and take them over,
 * synced. Their content is the same, so no reader notices.
 */
export class UnsyncedFiles {
  readonly #folder: string;
  readonly #fileSystem: FileSystem;
  /** Content by path; without it a failed sync can't be made good. */
  #waiting = new Map<string, Uint8Array | undefined>();
  /** A sync of what waits failed. */
  #suspect = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(folder: string, fileSystem: FileSystem) {
    this.#folder = folder;
    this.#fileSystem = fileSystem;
  }

  add(path: string, content: Uint8Array | undefined): void {
    this.#waiting.set(path, content);
  }

  /**
   * Resolves when all that was added before the call is on disk; rejects with `storage_io`, outcome `unknown`. One sync
   * is under way at most, and whoever comes meanwhile shares the next.
   */
  sync(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#commit().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.sync();
      });
    return this.#next;
  }

  /** As `sync`, and blocks. */
  syncNow(): void {
    const files = this.#take();
    if (files.size === 0) return;
    try {
      if (!this.#suspect) this.#forceNow(files);
      else this.#writeAnew(files);
    } catch (error) {
      this.#makeGood(files, error);
    }
  }

  async #commit(): Promise<void> {
    const files = this.#take();
    if (files.size === 0) return;
    try {
      if (!this.#suspect) await this.#force(files);
      else this.#writeAnew(files);
    } catch (error) {
      this.#makeGood(files, error);
    }
  }

  async #force(files: Contents): Promise<void> {
    for (const path of files.keys()) {
      const fd = this.#open(path);
      try {
        await dataSync(this.#fileSystem, fd);
      } finally {
        closeDescriptor(this.#fileSystem, fd);
      }
    }
    await directorySync(this.#folder, this.#fileSystem);
  }

  #forceNow(files: Contents): void {
    for (const path of files.keys()) {
      const fd = this.#open(path);
      try {
        uninterrupted(() => this.#fileSystem.fdatasyncSync(fd));
      } finally {
        closeDescriptor(this.#fileSystem, fd);
      }
    }
    syncDirectory(this.#folder, this.#fileSystem);
  }

  #makeGood(files: Contents, failure: unknown): void {
    try {
      if (this.#suspect || [...files.values()].includes(undefined)) throw failure;
      this.#writeAnew(files);
    } catch (error) {
      this.#suspect = true;
      this.#waiting = new Map([...files, ...this.#waiting]);
      throw storageError(error, { operation: "sync", path: this.#folder, outcome: "unknown" });
    }
  }

  #writeAnew(files: Contents): void {
    for (const [path, content] of files) {
      if (content === undefined) throw new Error(`${path} is not known any more`);
      const temporary = writeTemporary(dirname(path), content, { fileSystem: this.#fileSystem, sync: true });
      uninterrupted(() => this.#fileSystem.renameSync(temporary, path));
    }
    syncDirectory(this.#folder, this.#fileSystem);
    this.#suspect = false;
  }

  #take(): Contents {
    const files = this.#waiting;
    this.#waiting = new Map();
    return files;
  }

  #open(path: string): number {
    return uninterrupted(() => this.#fileSystem.openSync(path, nodeFs.constants.O_RDWR));
  }
}
