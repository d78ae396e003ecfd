import { basename, dirname, join, resolve, sep } from "node:path";
import { isSessionId, type SessionHeader } from "../../entry/header.ts";
import { asyncLog } from "../../session/async-log.ts";
import { durabilityOf } from "../../session/durability.ts";
import type { EntryRecord, SyncEntryLog } from "../../session/entry-log.ts";
import { matchSession } from "../../session/match-session.ts";
import { noSession, sessionExists } from "../../session/missing.ts";
import { requireSessionId } from "../../session/new-header.ts";
import type {
  ListOptions,
  Placement,
  RecordSource,
  SessionInfo,
  SessionListing,
  SessionRef,
  SessionStore,
  StoredSession,
} from "../../session/session-store.ts";
import { SummaryFold } from "../../session/summary-fold.ts";
import { cwdMatcher } from "../files/cwd.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { makeDirectory, type PublishOptions, publishingAt } from "../files/publish.ts";
import { pathInside, realPath } from "../files/real-path.ts";
import { DirectoryLog, type DirectoryLogOptions } from "./directory-log.ts";
import { type FoundFolder, headerAt, idAt, isSession, sessionFolders } from "./session-folders.ts";
import { Trash, type TrashedFolder } from "./trash.ts";

export interface DirectoryStoreOptions extends DirectoryLogOptions {
  readonly root: string;
}

const readBatch = 256;

/** Sessions as folders of one directory, each under its id. */
export class DirectoryStore implements SessionStore {
  readonly #root: string;
  readonly #options: Required<DirectoryLogOptions>;
  /** Real paths of folders elsewhere that somebody named by path. */
  readonly #named = new Set<string>();

  constructor({ root, durability, fileSystem = nodeFileSystem }: DirectoryStoreOptions) {
    this.#root = resolve(root);
    this.#options = { durability: durabilityOf(durability), fileSystem };
  }

  async create(
    header: SessionHeader,
    records: RecordSource,
    { location = join(this.#store, header.id) }: Placement = {},
  ): Promise<StoredSession> {
    requireSessionId(header.id);
    const all: EntryRecord[] = [];
    for await (const batch of records) for (const record of batch) all.push(record);
    makeDirectory(dirname(location), this.#publishing);
    const log = DirectoryLog.create(location, header, all, this.#options);
    return { ref: { id: header.id, location }, log: asyncLog(log) };
  }

  async open({ id, location }: SessionRef): Promise<StoredSession> {
    const path = location === undefined ? this.#folderOfId(id) : this.#permitted(location);
    if (path === undefined) throw noSession(id);
    const log = DirectoryLog.open(path, this.#options);
    if (log.header.id === id) return { ref: { id, location: path }, log: asyncLog(log) };
    log.close();
    throw noSession(id);
  }

  vacancyAt(): undefined {
    return undefined;
  }

  /** A query with a separator in it is a path, which may lead anywhere: whoever names it means it. */
  async resolve(query: string): Promise<SessionRef> {
    if (query.includes("/") || query.includes(sep)) return this.#byPath(query);
    const own = this.#ownFolder(query);
    if (own !== undefined) return { id: query, location: own };
    const sessions: SessionInfo[] = [];
    for await (const listing of this.list()) if (listing.status === "ok") sessions.push(listing);
    const { id, path } = matchSession(query, sessions);
    return { id, ...(path !== undefined && { location: path }) };
  }

  async *list({ cwd, trash, signal, onProgress }: ListOptions = {}): AsyncGenerator<SessionListing, void> {
    const folders = trash ? this.#trash.folders() : this.#folders();
    const isWanted = cwd === undefined ? undefined : cwdMatcher(cwd);
    for (const [index, folder] of folders.entries()) {
      signal?.throwIfAborted();
      const listing = this.#listing(folder);
      if (!isWanted || (listing.status === "ok" && isWanted(listing.cwd))) yield listing;
      onProgress?.(index + 1, folders.length);
    }
  }

  async remove({ id, location }: SessionRef): Promise<void> {
    const path = location === undefined ? this.#folderOfId(id) : this.#inside(location);
    if (path !== undefined && this.#isOf(id, path)) this.#trash.add(path);
  }

  async restore(id: string): Promise<SessionRef> {
    const [newest] = this.#trashed(id);
    if (!newest) throw noSession(id);
    if (this.#folderOfId(id) !== undefined) throw sessionExists(id);
    this.#trash.restore(newest);
    return { id, location: newest.original };
  }

  async purge(id?: string): Promise<number> {
    const doomed = id === undefined ? this.#trash.folders() : this.#trashed(id);
    for (const folder of doomed) this.#trash.destroy(folder);
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

  #folders(): readonly FoundFolder[] {
    return sessionFolders(this.#store, this.#store, this.#options.fileSystem);
  }

  /** A session's folder has its id for a name, unless somebody gave it another. */
  #folderOfId(id: string): string | undefined {
    const others = () => this.#folders().find(({ path, error }) => error === undefined && this.#isOf(id, path));
    return this.#ownFolder(id) ?? others()?.path;
  }

  /** Throws `outside_store`. */
  #ownFolder(id: string): string | undefined {
    if (!isSessionId(id)) return undefined;
    const path = this.#inside(id);
    return this.#isOf(id, path) ? path : undefined;
  }

  #isOf(id: string, path: string): boolean {
    const { fileSystem } = this.#options;
    return isSession(path, fileSystem) && idAt(path, basename(path), fileSystem) === id;
  }

  /** Newest first. */
  #trashed(id: string): readonly TrashedFolder[] {
    return this.#trash.folders().filter(({ path, original }) => {
      return idAt(path, basename(original), this.#options.fileSystem) === id;
    });
  }

  #byPath(query: string): SessionRef {
    const { fileSystem } = this.#options;
    if (query.includes("\0") || !isSession(query, fileSystem)) throw noSession(query);
    const location = realPath(resolve(query), fileSystem);
    this.#named.add(location);
    return { id: headerAt(location, fileSystem).id, location };
  }

  #permitted(location: string): string {
    const real = realPath(resolve(this.#root, location), this.#options.fileSystem);
    return this.#named.has(real) ? real : this.#inside(location);
  }

  #inside(location: string): string {
    return pathInside(location, this.#root, this.#options.fileSystem);
  }

  #listing({ path, error }: FoundFolder): SessionListing {
    if (error !== undefined) return { status: "unreadable", path, error };
    try {
      const log = DirectoryLog.open(path, this.#options);
      try {
        return { ...summaryOf(log), path };
      } finally {
        log.close();
      }
    } catch (cause) {
      return { status: "unreadable", path, error: cause };
    }
  }
}

function summaryOf(log: SyncEntryLog): SessionInfo {
  const fold = new SummaryFold(log.header);
  const { heads } = log.changes();
  for (let start = 0; start < heads.length; start += readBatch) {
    const positions = heads.slice(start, start + readBatch).map((head) => head.position);
    for (const entry of log.read(positions)) fold.add(entry);
  }
  return fold.info();
}
