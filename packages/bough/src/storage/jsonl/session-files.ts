import type { Dirent } from "node:fs";
import { sep } from "node:path";
import { isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, uninterrupted } from "../files/file-system.ts";
import { isInside, outsideStore, realPath } from "../files/real-path.ts";

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
    if (!isInside(target, store)) throw outsideStore(path, store);
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
