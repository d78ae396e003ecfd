import { basename, dirname, join } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import type { EntryRecord } from "../../session/entry-log.ts";
import { errnoOf, isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, uninterrupted } from "../files/file-system.ts";
import { makeDirectory, type PublishOptions, placeFile, syncDirectory } from "../files/publish.ts";
import { temporaryName } from "../files/temporary-name.ts";
import { entryFileName } from "./entry-name.ts";
import { metadataOf, metadataPath } from "./metadata.ts";

/** Builds a session under another name and gives it its own when it is complete. Throws `already_exists`. */
export function createSession(
  path: string,
  header: SessionHeader,
  records: readonly EntryRecord[],
  options: PublishOptions,
): void {
  const { fileSystem } = options;
  const temporary = join(dirname(path), temporaryName());
  try {
    build(temporary, header, records, options);
    giveName(temporary, path, fileSystem);
    if (options.sync) syncName(temporary, path, fileSystem);
  } catch (error) {
    discard(temporary, fileSystem);
    throw storageError(error, { operation: "create", path });
  }
}

function build(session: string, header: SessionHeader, records: readonly EntryRecord[], options: PublishOptions): void {
  const entries = join(session, "entries");
  makeDirectory(entries, options);
  placeFile(metadataPath(session), metadataOf(header), options);
  for (const [index, { head, json }] of records.entries()) {
    placeFile(join(entries, entryFileName(index + 1, head.id)), Buffer.from(json), options);
  }
  if (!options.sync) return;
  for (const folder of [entries, session]) syncDirectory(folder, options.fileSystem);
}

/** A folder takes the place of an empty one only, and on some systems of none. Throws `already_exists`. */
export function giveName(temporary: string, path: string, fileSystem: FileSystem): void {
  try {
    uninterrupted(() => fileSystem.renameSync(temporary, path));
  } catch (error) {
    if (!exists(path, fileSystem)) throw error;
    throw new SessionError(
      "already_exists",
      `${path} exists`,
      { what: "session", id: basename(path) },
      { cause: error },
    );
  }
}

/** A name that may not last is taken back. */
function syncName(temporary: string, path: string, fileSystem: FileSystem): void {
  try {
    syncDirectory(dirname(path), fileSystem);
  } catch (error) {
    uninterrupted(() => fileSystem.renameSync(path, temporary));
    throw error;
  }
}

function exists(path: string, fileSystem: FileSystem): boolean {
  return uninterrupted(() => fileSystem.statSync(path, { throwIfNoEntry: false })) !== undefined;
}

function discard(temporary: string, fileSystem: FileSystem): void {
  try {
    fileSystem.rmSync(temporary, { recursive: true, force: true });
  } catch (error) {
    // What stays behind is hidden and harmless; the first failure is the one to tell.
    if (errnoOf(error) === undefined && !isMissing(error)) throw error;
  }
}
