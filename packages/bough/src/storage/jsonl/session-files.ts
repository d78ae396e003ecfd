import type { Dirent } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { SessionError } from "../../errors.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, uninterrupted } from "../files/file-system.ts";

/** A file that should be a session; `error` says why it, or a whole folder, can't even be looked at. */
export interface FoundFile {
  /** Real and absolute. */
  readonly path: string;
  readonly error?: unknown;
}

/**
 * The session files of a store: in its root and in all its folders, however these are named, since pi, oh-my-pi and older
 * layouts name them each in their own way. Hidden folders, and folders of what belongs to the session of the same name,
 * are left out. Links count where they lead to something inside.
 */
export function sessionFiles(root: string, fileSystem: FileSystem): readonly FoundFile[] {
  const store = realPath(root, fileSystem);
  const found = new Map<string, FoundFile>();
  const folders = collect(store, store, found, fileSystem);
  for (const folder of folders) collect(folder, store, found, fileSystem);
  return [...found.values()];
}

/** Adds the files of one folder and returns its folders. */
function collect(folder: string, store: string, found: Map<string, FoundFile>, fileSystem: FileSystem): string[] {
  const folders: string[] = [];
  const start = folder.endsWith(sep) ? folder : folder + sep;
  const entries = entriesOf(folder, found, fileSystem);
  const files = new Set(entries.map(({ name }) => name).filter(isSessionFile));
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    const path = `${start}${entry.name}`;
    if (entry.isSymbolicLink()) follow(path, store, found, fileSystem);
    else if (entry.isDirectory() && !files.has(`${entry.name}.jsonl`)) folders.push(path);
    else if (!entry.isDirectory() && isSessionFile(entry.name)) found.set(path, { path });
  }
  return folders;
}

function entriesOf(folder: string, found: Map<string, FoundFile>, fileSystem: FileSystem): readonly Dirent[] {
  try {
    return uninterrupted(() => fileSystem.readdirSync(folder, { withFileTypes: true }));
  } catch (cause) {
    if (isMissing(cause)) return [];
    found.set(folder, { path: folder, error: storageError(cause, { operation: "list", path: folder }) });
    return [];
  }
}

function follow(path: string, store: string, found: Map<string, FoundFile>, fileSystem: FileSystem): void {
  try {
    const target = fileSystem.realpathSync(path);
    if (!isInside(target, store)) throw outside(path, store);
    if (isSessionFile(target)) found.set(target, { path: target });
  } catch (cause) {
    if (isSessionFile(path) || !isMissing(cause)) {
      found.set(path, { path, error: storageError(cause, { operation: "follow", path }) });
    }
  }
}

export function isSessionFile(name: string): boolean {
  return name.endsWith(".jsonl");
}

/** The real path of what is there; of what is not, the path itself below its real parent. */
export function realPath(path: string, fileSystem: FileSystem): string {
  try {
    return uninterrupted(() => fileSystem.realpathSync(path));
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw storageError(error, { operation: "resolve", path });
    return resolve(realPath(parent, fileSystem), path.slice(parent.length).replace(/^[\\/]+/, ""));
  }
}

/** The real path of what a list or an index names. Throws `outside_store` unless it lies in the store. */
export function pathInside(path: string, root: string, fileSystem: FileSystem): string {
  const store = realPath(root, fileSystem);
  const real = realPath(resolve(store, path), fileSystem);
  if (!isInside(real, store)) throw outside(path, store);
  return real;
}

function isInside(path: string, store: string): boolean {
  return path.startsWith(store.endsWith(sep) ? store : store + sep);
}

function outside(path: string, store: string): SessionError {
  return new SessionError("outside_store", `${path} is not in ${store}`, { path, store });
}
