import { nodeFs } from "./node-modules.ts";

/** The calls of `node:fs` that session files are kept with, so that any one of them can be made to fail. */
export type FileSystem = Pick<
  typeof nodeFs,
  | "chmodSync"
  | "closeSync"
  | "fchmodSync"
  | "fdatasync"
  | "fdatasyncSync"
  | "fstatSync"
  | "fsync"
  | "fsyncSync"
  | "linkSync"
  | "mkdirSync"
  | "openSync"
  | "readdirSync"
  | "readSync"
  | "realpathSync"
  | "renameSync"
  | "rmSync"
  | "statfsSync"
  | "statSync"
  | "unlinkSync"
  | "writeSync"
>;

export const nodeFileSystem: FileSystem = nodeFs;

const readFlags = nodeFs.constants.O_RDONLY | (nodeFs.constants.O_NONBLOCK ?? 0);

/** Names one file whatever its path: what a path leads to is compared by it. */
export interface Inode {
  readonly dev: number;
  readonly ino: number;
}

export function sameInode(a: Inode, b: Inode): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

// A guard against a file system that never stops interrupting; one interruption is common, a hundred are a fault.
const maxInterruptions = 100;

/** The result of `call`, which is made again when a signal interrupted it. */
export function uninterrupted<T>(call: () => T): T {
  for (let interruptions = 0; ; interruptions++) {
    try {
      return call();
    } catch (error) {
      if (!isInterruption(error) || interruptions === maxInterruptions) throw error;
    }
  }
}

/** `fdatasync` off the main thread. */
export async function dataSync(fileSystem: FileSystem, fd: number): Promise<void> {
  for (let interruptions = 0; ; interruptions++) {
    const error = await new Promise<unknown>((resolve) => fileSystem.fdatasync(fd, resolve));
    if (!error) return;
    if (!isInterruption(error) || interruptions === maxInterruptions) throw error;
  }
}

/** All bytes of a regular file. Never waits for a pipe's other end. */
export function readWhole(fileSystem: FileSystem, path: string): Uint8Array {
  const fd = uninterrupted(() => fileSystem.openSync(path, readFlags));
  try {
    const stat = uninterrupted(() => fileSystem.fstatSync(fd));
    if (!stat.isFile()) throw Object.assign(new Error(`${path} is no file`), { code: "EINVAL", path });
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readFully(fileSystem, fd, bytes, 0));
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** Fills `target` from `position`; returns how many bytes the file had there. */
export function readFully(fileSystem: FileSystem, fd: number, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const read = uninterrupted(() =>
      fileSystem.readSync(fd, target, filled, target.length - filled, position + filled),
    );
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** What a close reports concerns bytes that a sync has reported already, and the descriptor is gone either way. */
export function closeDescriptor(fileSystem: FileSystem, fd: number): void {
  try {
    fileSystem.closeSync(fd);
  } catch {
    return;
  }
}

function isInterruption(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EINTR" || code === "EAGAIN";
}
