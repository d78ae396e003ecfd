import { join } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, uninterrupted } from "../files/file-system.ts";
import { namesIn } from "../files/publish.ts";
import { pathInside } from "../files/real-path.ts";
import { decoderOf, metadataPath } from "./metadata.ts";

/** A folder that should be a session; `error` says why it can't even be looked at. */
export interface FoundFolder {
  /** Real and absolute, unless there is an error. */
  readonly path: string;
  readonly error?: unknown;
}

/** The sessions in a folder of a store. Hidden ones are left out, and links count where they lead to something inside. */
export function sessionFolders(folder: string, store: string, fileSystem: FileSystem): readonly FoundFolder[] {
  const found = new Map<string, FoundFolder>();
  const names = namesIn(folder, fileSystem).filter((name) => !name.startsWith("."));
  for (const name of [...names].sort()) {
    const known = look(join(folder, name), store, fileSystem);
    if (known) found.set(known.path, known);
  }
  return [...found.values()];
}

function look(path: string, store: string, fileSystem: FileSystem): FoundFolder | undefined {
  try {
    if (!isSession(path, fileSystem)) return undefined;
    return { path: pathInside(path, store, fileSystem) };
  } catch (error) {
    return { path, error };
  }
}

export function isSession(path: string, fileSystem: FileSystem): boolean {
  try {
    const stat = uninterrupted(() => fileSystem.statSync(metadataPath(path), { throwIfNoEntry: false }));
    return stat?.isFile() ?? false;
  } catch (error) {
    if (isMissing(error)) return false;
    throw storageError(error, { operation: "open", path });
  }
}

/** Throws `not_found`, `invalid_session`, `unsupported_version`. */
export function headerAt(path: string, fileSystem: FileSystem): SessionHeader {
  return decoderOf(path, fileSystem).header as SessionHeader;
}

/** By the header; of a session that can't be read by its folder's name, so that opening it can say what is wrong. */
export function idAt(path: string, name: string, fileSystem: FileSystem): string {
  try {
    return headerAt(path, fileSystem).id;
  } catch {
    return name;
  }
}
