import { join, resolve, sep } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { asyncLog } from "../../session/async-log.ts";
import { durabilityOf } from "../../session/durability.ts";
import { noSession, sessionExists } from "../../session/missing.ts";
import { requireSessionId } from "../../session/new-header.ts";
import type {
  CopySource,
  ListOptions,
  Placement,
  SessionListing,
  SessionRef,
  SessionStore,
  StoredSession,
} from "../../session/session-store.ts";
import { type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { namesIn, type PublishOptions, publishingAt } from "../files/publish.ts";
import { pathInside, realPath } from "../files/real-path.ts";
import { fileOfId, fileOfQuery, idOf } from "./find-session.ts";
import { JsonlLog, type JsonlLogOptions } from "./jsonl-log.ts";
import { acquireLease } from "./lease.ts";
import { removeLeftovers } from "./leftovers.ts";
import { listSessions } from "./list-sessions.ts";
import { defaultStore, projectFolder, sessionFileName } from "./project-folder.ts";
import { publishSession } from "./publish-session.ts";
import { type FoundFile, isSessionFile, sessionFiles } from "./session-files.ts";
import { readHeaderOf } from "./session-lines.ts";
import { idInName } from "./summary.ts";
import { Trash, type TrashedFile } from "./trash.ts";

export interface JsonlStoreOptions extends JsonlLogOptions {
  /** `$BOUGH_HOME/sessions` or `~/.bough/sessions` unless given. A link to it is it. */
  readonly root?: string;
}

/**
 * Sessions as files below one directory, one folder a project. Folders of pi and oh-my-pi can be stores too: what a
 * session belongs to is in its header, and a folder's name is no more than the place where new ones go.
 */
export class JsonlStore implements SessionStore {
  readonly #root: string;
  readonly #options: JsonlLogOptions & { readonly fileSystem: FileSystem };
  /** Real paths of files elsewhere that somebody named by path. */
  readonly #named = new Set<string>();

  constructor({ root = defaultStore(), fileSystem = nodeFileSystem, ...options }: JsonlStoreOptions = {}) {
    this.#root = resolve(root);
    this.#options = { ...options, durability: durabilityOf(options.durability), fileSystem };
  }

  async create(
    header: SessionHeader,
    records: CopySource,
    { location, hasOwnId = false }: Placement = {},
  ): Promise<StoredSession> {
    requireSessionId(header.id);
    const folder = join(this.#store, projectFolder(header.cwd));
    const file = location ?? join(folder, sessionFileName(header));
    if (hasOwnId) await publishSession(file, header, records, this.#publishing);
    else await this.#createAlone(file, folder, header, records);
    return this.#opened(file);
  }

  async #createAlone(file: string, folder: string, header: SessionHeader, records: CopySource): Promise<void> {
    const lease = await acquireLease({ file, id: header.id, doing: "create" });
    try {
      this.#requireNew(header.id, folder);
      await publishSession(file, header, records, this.#publishing);
    } finally {
      lease.release();
    }
  }

  copy(header: SessionHeader, records: CopySource, placement?: Placement): Promise<StoredSession> {
    return this.create(header, records, placement);
  }

  async open({ id, location }: SessionRef): Promise<StoredSession> {
    const path = location === undefined ? this.#fileOfId(id) : this.#permitted(location);
    if (path === undefined) throw noSession(id);
    const session = this.#opened(path);
    if (session.ref.id === id) return session;
    await session.log.close();
    throw noSession(id);
  }

  vacancyAt(query: string): string | undefined {
    if (!isPath(query) || query.includes("\0")) return undefined;
    const path = resolve(query);
    const stat = this.#options.fileSystem.statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size === 0 ? path : undefined;
  }

  /** A path may lead anywhere: whoever names it means it. Throws `not_found` for one that leads nowhere. */
  async resolve(query: string): Promise<SessionRef> {
    if (isPath(query)) return this.#byPath(query);
    const files = this.#files();
    const exact = fileOfId(query, files, this.#options.fileSystem);
    if (exact !== undefined) return { id: query, location: exact };
    const { id, path } = await fileOfQuery(query, files);
    return { id, location: path };
  }

  async *list({ trash, ...options }: ListOptions = {}): AsyncGenerator<SessionListing, void> {
    const files = trash ? this.#trash.files().map(({ path }) => ({ path })) : this.#files();
    yield* listSessions(files, options);
  }

  /** Backups of the session go with it. */
  async remove({ id, location }: SessionRef): Promise<void> {
    const path = location === undefined ? this.#fileOfId(id) : this.#inside(location);
    if (path === undefined || !isSessionFile(path) || idOf(path, this.#options.fileSystem) !== id) return;
    const lease = await acquireLease({ file: path, id, doing: "delete" });
    try {
      this.#trash.add(path);
    } finally {
      lease.release();
    }
  }

  async restore(id: string): Promise<SessionRef> {
    const [newest] = this.#trashed(id);
    if (!newest) throw noSession(id);
    if (this.#fileOfId(id) !== undefined) throw sessionExists(id);
    this.#trash.restore(newest);
    return { id, location: newest.original };
  }

  /** With `before`, only what was deleted before that time. Temporary files that crashes left go too. */
  async purge(id?: string, before?: Date): Promise<number> {
    removeLeftovers(this.#store, this.#options.fileSystem);
    const trashed = id === undefined ? this.#trash.files() : this.#trashed(id);
    const doomed = trashed.filter(({ deleted }) => before === undefined || deleted < before);
    for (const file of doomed) this.#trash.destroy(file);
    return doomed.length;
  }

  /** The real path, as far as it exists. */
  get #store(): string {
    return realPath(this.#root, this.#options.fileSystem);
  }

  get #trash(): Trash {
    return new Trash(this.#store, this.#publishing);
  }

  get #publishing(): PublishOptions {
    return publishingAt(this.#options.durability, this.#options.fileSystem);
  }

  #files(): readonly FoundFile[] {
    return sessionFiles(this.#root, this.#options.fileSystem);
  }

  #fileOfId(id: string): string | undefined {
    return fileOfId(id, this.#files(), this.#options.fileSystem);
  }

  #trashed(id: string): readonly TrashedFile[] {
    return this.#trash.files().filter(({ path }) => idOf(path, this.#options.fileSystem) === id);
  }

  #byPath(query: string): SessionRef {
    const { fileSystem } = this.#options;
    if (query.includes("\0")) throw noSession(query);
    const { header } = readHeaderOf(query, fileSystem);
    const location = realPath(resolve(query), fileSystem);
    this.#named.add(location);
    return { id: header.id, location };
  }

  #permitted(location: string): string {
    const real = realPath(resolve(this.#root, location), this.#options.fileSystem);
    return this.#named.has(real) ? real : this.#inside(location);
  }

  #inside(location: string): string {
    return pathInside(location, this.#root, this.#options.fileSystem);
  }

  #opened(path: string): StoredSession {
    const log = JsonlLog.open(path, this.#options);
    return { ref: { id: log.header.id, location: log.path }, log: asyncLog(log) };
  }

  /** Names hold the time too, so that an id could be given out twice. */
  #requireNew(id: string, folder: string): void {
    const isTaken = namesIn(folder, this.#options.fileSystem).some((name) => idInName(name) === id);
    if (isTaken) throw sessionExists(id);
  }
}

/** What no id and hardly a name looks like. */
function isPath(query: string): boolean {
  return query.includes("/") || query.includes(sep) || isSessionFile(query);
}
