import { basename, dirname, join, relative } from "node:path";
import { SessionError } from "../../errors.ts";
import { errnoOf, isMissing, storageError } from "../files/file-errors.ts";
import { uninterrupted } from "../files/file-system.ts";
import { makeDirectory, namesIn, type PublishOptions, syncDirectory, withoutLinks } from "../files/publish.ts";
import { freeTrashSuffix, readTrashedName, type TrashedName } from "../files/trash-name.ts";
import { isSessionFile } from "./session-files.ts";

/** A session file in the trash; `original` is where it was. */
export interface TrashedFile extends TrashedName {
  readonly path: string;
}

const folderName = ".trash";

/**
 * What was deleted from one store: in `.trash/`, under the folder it was in, with the time in its name. Backups of a
 * session go with it, and come back with it.
 */
export class Trash {
  readonly #store: string;
  readonly #options: PublishOptions;

  /** `store` is a real path. */
  constructor(store: string, options: PublishOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** A file that is not there is fine. */
  add(path: string, now = new Date()): void {
    const folder = join(this.#folder, dirname(relative(this.#store, path)));
    this.#attempt("delete", path, () => {
      makeDirectory(folder, this.#options);
      const suffix = freeTrashSuffix(join(folder, basename(path)), now, this.#options.fileSystem);
      if (!this.#rename(path, join(folder, basename(path)) + suffix)) return;
      for (const backup of this.#backupsOf(path, "")) this.#rename(backup, join(folder, basename(backup)) + suffix);
      this.#sync(folder, dirname(path));
    });
  }

  /** Newest first. */
  files(): readonly TrashedFile[] {
    const found = this.#attempt("list", this.#folder, () =>
      this.#placesInTrash().flatMap((place) => this.#trashed(place)),
    );
    return found.sort((a, b) => b.deleted.getTime() - a.deleted.getTime());
  }

  /** To where it was. Throws `already_exists` if something is there. */
  restore({ path, original, suffix }: TrashedFile): void {
    this.#attempt("restore", original, () => {
      makeDirectory(dirname(original), this.#options);
      this.#moveToFreeName(path, original);
      const backups = this.#backupsOf(path.slice(0, -suffix.length), suffix);
      for (const backup of backups)
        this.#rename(backup, join(dirname(original), basename(backup).slice(0, -suffix.length)));
      this.#sync(dirname(path), dirname(original));
    });
  }

  destroy({ path, suffix }: TrashedFile): void {
    this.#attempt("purge", path, () => {
      const { fileSystem } = this.#options;
      for (const backup of this.#backupsOf(path.slice(0, -suffix.length), suffix)) fileSystem.unlinkSync(backup);
      fileSystem.unlinkSync(path);
      this.#sync(dirname(path));
    });
  }

  get #folder(): string {
    return join(this.#store, folderName);
  }

  #placesInTrash(): readonly string[] {
    try {
      return this.#options.fileSystem.readdirSync(this.#folder, { recursive: true, encoding: "utf8" });
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #trashed(place: string): TrashedFile[] {
    const name = readTrashedName(place);
    if (!name || !isSessionFile(name.original)) return [];
    return [{ ...name, path: join(this.#folder, place), original: join(this.#store, name.original) }];
  }

  /** Of the session at `path`; in the trash their names end in `suffix` too. */
  #backupsOf(path: string, suffix: string): readonly string[] {
    const folder = dirname(path);
    return namesIn(folder, this.#options.fileSystem)
      .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(`.bak${suffix}`))
      .map((name) => join(folder, name));
  }

  #rename(from: string, to: string): boolean {
    try {
      uninterrupted(() => this.#options.fileSystem.renameSync(from, to));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  #moveToFreeName(from: string, to: string): void {
    const { fileSystem } = this.#options;
    try {
      uninterrupted(() => fileSystem.linkSync(from, to));
      fileSystem.unlinkSync(from);
    } catch (cause) {
      const errno = errnoOf(cause);
      const isTaken = errno === "EEXIST" || fileSystem.statSync(to, { throwIfNoEntry: false }) !== undefined;
      if (isTaken)
        throw new SessionError("already_exists", `${to} exists`, { what: "file", id: basename(to) }, { cause });
      if (!withoutLinks.has(errno)) throw cause;
      fileSystem.renameSync(from, to);
    }
  }

  #sync(...folders: readonly string[]): void {
    if (!this.#options.sync) return;
    for (const folder of new Set(folders)) syncDirectory(folder, this.#options.fileSystem);
  }

  #attempt<T>(operation: string, path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storageError(error, { operation, path });
    }
  }
}
