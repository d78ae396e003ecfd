import { basename, dirname, join } from "node:path";
import { isMissing, storageError } from "../files/file-errors.ts";
import { uninterrupted } from "../files/file-system.ts";
import { makeDirectory, type PublishOptions, syncDirectory } from "../files/publish.ts";
import { freeTrashSuffix, readTrashedName } from "../files/trash-name.ts";
import { giveName } from "./create.ts";
import { type FoundFolder, sessionFolders } from "./session-folders.ts";

/** A session's folder in the trash. */
export interface TrashedFolder extends FoundFolder {
  /** Where it was. */
  readonly original: string;
  readonly deleted: Date;
}

const folderName = ".trash";
/** What names had more than the originals before they told the time. */
const timeless = /\.[0-9a-f]{8}$/;

/** What was deleted from one store: in `.trash/`, with the time in its name. */
export class Trash {
  readonly #store: string;
  readonly #folder: string;
  readonly #options: PublishOptions;

  /** `store` is a real path. */
  constructor(store: string, options: PublishOptions) {
    this.#store = store;
    this.#folder = join(store, folderName);
    this.#options = options;
  }

  /** A folder that is not there is fine. */
  add(path: string, now = new Date()): void {
    const { fileSystem } = this.#options;
    const place = join(this.#folder, basename(path));
    this.#attempt("delete", path, () => {
      makeDirectory(this.#folder, this.#options);
      const target = place + freeTrashSuffix(place, now, fileSystem);
      try {
        uninterrupted(() => fileSystem.renameSync(path, target));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      this.#sync(dirname(path));
    });
  }

  /** Newest first. */
  folders(): readonly TrashedFolder[] {
    const found = sessionFolders(this.#folder, this.#store, this.#options.fileSystem);
    const trashed = found.map((folder) => ({ ...folder, ...this.#originOf(folder.path) }));
    return trashed.sort((a, b) => b.deleted.getTime() - a.deleted.getTime());
  }

  /** To where it was. Throws `already_exists` if something is there. */
  restore({ path, original }: TrashedFolder): void {
    this.#attempt("restore", original, () => {
      giveName(path, original, this.#options.fileSystem);
      this.#sync(dirname(original));
    });
  }

  destroy({ path }: TrashedFolder): void {
    this.#attempt("purge", path, () => this.#options.fileSystem.rmSync(path, { recursive: true }));
  }

  /** Of what has no time in its name the folder's tells when it was moved, as far as anything does. */
  #originOf(path: string): Pick<TrashedFolder, "original" | "deleted"> {
    const name = basename(path);
    const known = readTrashedName(name);
    const original = join(this.#store, known?.original ?? name.replace(timeless, ""));
    if (known) return { original, deleted: known.deleted };
    const stat = this.#options.fileSystem.statSync(path, { throwIfNoEntry: false });
    return { original, deleted: stat?.ctime ?? new Date(0) };
  }

  #sync(folder: string): void {
    if (!this.#options.sync) return;
    for (const changed of [this.#folder, folder]) syncDirectory(changed, this.#options.fileSystem);
  }

  #attempt(operation: string, path: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      throw storageError(error, { operation, path });
    }
  }
}
