import { basename, dirname, join } from "node:path";
import { SessionError } from "../../errors.ts";
import { type Durability, durabilityOf } from "../../session/durability.ts";
import { errnoOf, isMissing, storageError } from "./file-errors.ts";
import { closeDescriptor, type FileSystem, uninterrupted } from "./file-system.ts";
import { nodeFs } from "./node-modules.ts";
import { temporaryName } from "./temporary-name.ts";

export interface PublishOptions {
  readonly fileSystem: FileSystem;
  /** Whether content and names are forced to the disk. */
  readonly sync: boolean;
}

/** As a session of this durability is made. */
export function publishingAt(durability: Durability | undefined, fileSystem: FileSystem): PublishOptions {
  return { fileSystem, sync: durabilityOf(durability) !== "process" };
}

const privateFile = 0o600;
const privateDirectory = 0o700;
const noFollow = nodeFs.constants.O_NOFOLLOW ?? 0;

/**
 * Creates a file that holds all of `content` or does not exist, readable by its owner alone whatever the umask.
 * Never replaces anything but an empty file: rejects with `already_exists`. Missing directories are made.
 */
export function publishFile(path: string, content: Uint8Array, options: PublishOptions): void {
  try {
    makeDirectory(dirname(path), options);
    placeFile(path, content, options);
    if (options.sync) syncDirectory(dirname(path), options.fileSystem);
  } catch (error) {
    throw storageError(error, { operation: "create", path });
  }
}

/** As `publishFile`, in a directory that has to be there and is not synced. Errors but `already_exists` are the file system's. */
export function placeFile(path: string, content: Uint8Array, options: PublishOptions): void {
  const temporary = writeTemporary(dirname(path), content, options);
  try {
    giveName(temporary, path, options);
  } finally {
    discard(temporary, options.fileSystem);
  }
}

/** A new file `.tmp-<128 bit hex>` in `directory` with all of `content`, on disk if `sync`. Errors are the file system's. */
export function writeTemporary(directory: string, content: Uint8Array, options: PublishOptions): string {
  const { fileSystem } = options;
  const path = join(directory, temporaryName());
  const flags = nodeFs.constants.O_WRONLY | nodeFs.constants.O_CREAT | nodeFs.constants.O_EXCL | noFollow;
  const fd = uninterrupted(() => fileSystem.openSync(path, flags, privateFile));
  try {
    uninterrupted(() => fileSystem.fchmodSync(fd, privateFile));
    writeFully(fileSystem, fd, content);
    if (options.sync) uninterrupted(() => fileSystem.fdatasyncSync(fd));
  } catch (error) {
    discard(path, fileSystem);
    throw error;
  } finally {
    closeDescriptor(fileSystem, fd);
  }
  return path;
}

/** Forces the names in a directory to the disk, where the platform lets a directory be synced. */
export function syncDirectory(path: string, fileSystem: FileSystem): void {
  if (process.platform === "win32") return;
  const fd = uninterrupted(() => fileSystem.openSync(path, nodeFs.constants.O_RDONLY));
  try {
    uninterrupted(() => fileSystem.fsyncSync(fd));
  } catch (error) {
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** As `syncDirectory`, off the main thread. */
export async function directorySync(path: string, fileSystem: FileSystem): Promise<void> {
  if (process.platform === "win32") return;
  const fd = uninterrupted(() => fileSystem.openSync(path, nodeFs.constants.O_RDONLY));
  try {
    const error = await new Promise<unknown>((resolve) => fileSystem.fsync(fd, resolve));
    if (error && errnoOf(error) !== "EINVAL") throw error;
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** Missing parents too, each for its owner alone. Errors are the file system's. */
export function makeDirectory(path: string, options: PublishOptions): void {
  const { fileSystem } = options;
  const missing: string[] = [];
  for (let parent = path; !isDirectory(parent, fileSystem); parent = dirname(parent)) missing.push(parent);
  for (const directory of missing.reverse()) {
    try {
      uninterrupted(() => fileSystem.mkdirSync(directory, privateDirectory));
      uninterrupted(() => fileSystem.chmodSync(directory, privateDirectory));
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    if (options.sync) syncDirectory(dirname(directory), fileSystem);
  }
}

/** What stands in a directory; nothing where there is none. */
export function namesIn(directory: string, fileSystem: FileSystem): readonly string[] {
  try {
    return uninterrupted(() => fileSystem.readdirSync(directory));
  } catch (error) {
    if (isMissing(error)) return [];
    throw storageError(error, { operation: "list", path: directory });
  }
}

function isDirectory(path: string, fileSystem: FileSystem): boolean {
  try {
    uninterrupted(() => fileSystem.statSync(path));
    return true;
  } catch (error) {
    if (isMissing(error) && dirname(path) !== path) return false;
    throw error;
  }
}

function writeFully(fileSystem: FileSystem, fd: number, content: Uint8Array): void {
  for (let written = 0; written < content.length; ) {
    written += uninterrupted(() => fileSystem.writeSync(fd, content, written, content.length - written));
  }
}

export const withoutLinks: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** Moves a finished temporary file to `path`, where nothing but an empty file may be. Throws `already_exists`. */
export function giveName(temporary: string, path: string, { fileSystem }: PublishOptions): void {
  try {
    uninterrupted(() => fileSystem.linkSync(temporary, path));
    return;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "EEXIST" && !withoutLinks.has(errno)) throw error;
    if (errno === "EEXIST" && !isEmptyFile(path, fileSystem)) throw alreadyExists(path, error);
    if (errno !== "EEXIST") claimName(path, fileSystem);
  }
  uninterrupted(() => fileSystem.renameSync(temporary, path));
}

/** Where there are no links, an empty file of the name keeps others away until the rename. */
function claimName(path: string, fileSystem: FileSystem): void {
  const flags = nodeFs.constants.O_WRONLY | nodeFs.constants.O_CREAT | nodeFs.constants.O_EXCL | noFollow;
  try {
    closeDescriptor(
      fileSystem,
      uninterrupted(() => fileSystem.openSync(path, flags, privateFile)),
    );
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? alreadyExists(path, error) : error;
  }
}

function isEmptyFile(path: string, fileSystem: FileSystem): boolean {
  const stat = uninterrupted(() => fileSystem.statSync(path));
  return stat.isFile() && stat.size === 0;
}

function alreadyExists(path: string, cause: unknown): SessionError {
  return new SessionError("already_exists", `${path} exists`, { what: "file", id: basename(path) }, { cause });
}

export function discard(path: string, fileSystem: FileSystem): void {
  try {
    fileSystem.unlinkSync(path);
  } catch {
    // The name was given away by a rename, or nothing can be removed here; either way there is nothing left to do.
    return;
  }
}
