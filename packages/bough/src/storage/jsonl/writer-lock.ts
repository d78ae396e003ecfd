import { hostname } from "node:os";
import { dirname } from "node:path";
import { SessionError } from "../../errors.ts";
import { errnoOf, isMissing } from "../files/file-errors.ts";
import { closeDescriptor, type FileSystem, readWhole, uninterrupted } from "../files/file-system.ts";
import { nodeCrypto } from "../files/node-modules.ts";
import { writeTemporary } from "../files/publish.ts";

/**
 * The one writer of a session on a volume of several machines, where neither appends nor sockets exclude each other. It
 * holds `<file>.lock`, whose time it renews; a lock that was not renewed for long is taken from its owner, who is told
 * at the next append. Times are compared as the volume gives them, so that clocks need not agree.
 */
export class WriterLock implements Disposable {
  readonly #path: string;
  readonly #token = nodeCrypto().randomUUID();
  readonly #fileSystem: FileSystem;
  readonly #id: string;
  readonly #content: Uint8Array;
  /** Of the lock's own inode: what is written to it reaches no lock but this. */
  readonly #fd: number;
  readonly #renewal: NodeJS.Timeout;
  #isReleased = false;

  /** Throws `busy` with the holder. */
  static take(file: string, id: string, fileSystem: FileSystem): WriterLock {
    return new WriterLock(`${file}.lock`, id, fileSystem);
  }

  private constructor(path: string, id: string, fileSystem: FileSystem) {
    this.#path = path;
    this.#id = id;
    this.#fileSystem = fileSystem;
    this.#content = Buffer.from(JSON.stringify({ token: this.#token, host: hostname(), pid: process.pid }));
    this.#fd = this.#claim();
    this.#renewal = setInterval(() => this.#renew(), renewalInterval).unref();
  }

  /** Throws `busy` if the lock was taken away, as a stopped process finds it. */
  assertHeld(): void {
    const holder = this.#holder();
    if (holder?.token !== this.#token) throw busy(this.#id, holder);
  }

  /** Idempotent. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#renewal);
    closeDescriptor(this.#fileSystem, this.#fd);
    if (this.#holder()?.token === this.#token) uninterrupted(() => this.#fileSystem.unlinkSync(this.#path));
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #claim(): number {
    const own = writeTemporary(dirname(this.#path), this.#content, { fileSystem: this.#fileSystem, sync: false });
    try {
      while (!this.#link(own)) this.#takeFromTheDead(this.#modified(own));
      return uninterrupted(() => this.#fileSystem.openSync(own, "r+"));
    } finally {
      uninterrupted(() => this.#fileSystem.unlinkSync(own));
    }
  }

  #link(own: string): boolean {
    try {
      uninterrupted(() => this.#fileSystem.linkSync(own, this.#path));
      return true;
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Throws `busy` while the holder is alive. What is moved away is looked at again, lest a new owner lose it. */
  #takeFromTheDead(now: number): void {
    const holder = this.#holder();
    const renewed = this.#modified(this.#path);
    if (holder && renewed > now - patience) throw busy(this.#id, holder);
    const aside = `${this.#path}.${this.#token}`;
    try {
      uninterrupted(() => this.#fileSystem.renameSync(this.#path, aside));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    const moved = holderIn(aside, this.#fileSystem);
    if (moved?.token !== holder?.token) this.#link(aside);
    uninterrupted(() => this.#fileSystem.unlinkSync(aside));
  }

  /** A volume that can't be written to now is tried again; if that lasts, the next append finds out. */
  #renew(): void {
    try {
      uninterrupted(() => this.#fileSystem.writeSync(this.#fd, this.#content, 0, this.#content.length, 0));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }

  #holder(): Holder | undefined {
    return holderIn(this.#path, this.#fileSystem);
  }

  #modified(path: string): number {
    const stat = uninterrupted(() => this.#fileSystem.statSync(path, { throwIfNoEntry: false }));
    return stat?.mtimeMs ?? 0;
  }
}

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
}

const renewalInterval = 5_000;
const patience = 60_000;

function holderIn(path: string, fileSystem: FileSystem): Holder | undefined {
  try {
    return JSON.parse(Buffer.from(readWhole(fileSystem, path)).toString()) as Holder;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function busy(id: string, holder: Holder | undefined): SessionError<"busy"> {
  const name = holder && `process ${holder.pid} on ${holder.host}`;
  return new SessionError("busy", `session ${id} has a writer on another machine`, {
    id,
    ...(name && { holder: name }),
  });
}
