import { basename, dirname, join, resolve, sep } from "node:path";
import { isSessionId, type SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
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
import { isMissing, storageError } from "../files/file-errors.ts";
import { nodeFileSystem, uninterrupted } from "../files/file-system.ts";
import { nodeCrypto } from "../files/node-modules.ts";
import { makeDirectory, syncDirectory } from "../files/publish.ts";
import { DirectoryLog, type DirectoryLogOptions } from "./directory-log.ts";
import { metadataPath } from "./metadata.ts";

export interface DirectoryStoreOptions extends DirectoryLogOptions {
  readonly root: string;
}

const trashName = ".trash";
const readBatch = 256;

/** Sessions as folders of one directory, each under its id. */
export class DirectoryStore implements SessionStore {
  readonly #root: string;
  readonly #options: Required<DirectoryLogOptions>;

  constructor({ root, durability, fileSystem = nodeFileSystem }: DirectoryStoreOptions) {
    this.#root = resolve(root);
    this.#options = { durability: durabilityOf(durability), fileSystem };
  }

  async create(
    header: SessionHeader,
    records: RecordSource,
    { location = this.#folderOf(header.id) }: Placement = {},
  ): Promise<StoredSession> {
    requireSessionId(header.id);
    const all: EntryRecord[] = [];
    for await (const batch of records) for (const record of batch) all.push(record);
    makeDirectory(dirname(location), this.#publish);
    const log = DirectoryLog.create(location, header, all, this.#options);
    return { ref: { id: header.id, location }, log: asyncLog(log) };
  }

  async open({ id, location = this.#folderOf(id) }: SessionRef): Promise<StoredSession> {
    const log = DirectoryLog.open(location, this.#options);
    return { ref: { id: log.header.id, location }, log: asyncLog(log) };
  }

  vacancyAt(): undefined {
    return undefined;
  }

  /** A query with a separator in it is a path, which may lead anywhere. */
  async resolve(query: string): Promise<SessionRef> {
    if (query.includes("/") || query.includes(sep)) {
      const location = resolve(query);
      if (!this.#isSession(location)) throw noSession(query);
      return { id: DirectoryLog.open(location, this.#options).header.id, location };
    }
    if (isSessionId(query) && this.#isSession(this.#folderOf(query))) {
      return { id: query, location: this.#folderOf(query) };
    }
    const sessions: SessionInfo[] = [];
    for await (const listing of this.list()) if (listing.status === "ok") sessions.push(listing);
    const { id, path } = matchSession(query, sessions);
    return { id, ...(path !== undefined && { location: path }) };
  }

  async *list({ cwd, trash, signal, onProgress }: ListOptions = {}): AsyncGenerator<SessionListing, void> {
    const folders = this.#sessionsIn(trash ? join(this.#root, trashName) : this.#root);
    for (const [index, path] of folders.entries()) {
      signal?.throwIfAborted();
      const listing = this.#listing(path);
      if (cwd === undefined || (listing.status === "ok" && listing.cwd === cwd)) yield listing;
      onProgress?.(index + 1, folders.length);
    }
  }

  async remove({ id, location = this.#folderOf(id) }: SessionRef): Promise<void> {
    this.#requireInside(location);
    const trash = join(this.#root, trashName, `${basename(location)}.${nodeCrypto().randomBytes(4).toString("hex")}`);
    makeDirectory(join(this.#root, trashName), this.#publish);
    this.#rename(location, trash, { mayBeMissing: true });
  }

  async restore(id: string): Promise<SessionRef> {
    const trashed = this.#trashed(id);
    const [newest] = trashed.slice(-1);
    if (newest === undefined) throw noSession(id);
    const location = this.#folderOf(id);
    if (this.#isSession(location)) throw sessionExists(id);
    this.#rename(newest, location, { mayBeMissing: false });
    return { id, location };
  }

  async purge(id?: string): Promise<number> {
    const trashed = id === undefined ? this.#sessionsIn(join(this.#root, trashName)) : this.#trashed(id);
    for (const path of trashed) {
      try {
        this.#options.fileSystem.rmSync(path, { recursive: true });
      } catch (error) {
        throw storageError(error, { operation: "purge", path });
      }
    }
    return trashed.length;
  }

  get #publish() {
    const { fileSystem, durability } = this.#options;
    return { fileSystem, sync: durability !== "process" };
  }

  #folderOf(id: string): string {
    requireSessionId(id);
    return join(this.#root, id);
  }

  #trashed(id: string): readonly string[] {
    return this.#sessionsIn(join(this.#root, trashName)).filter((path) => {
      const listing = this.#listing(path);
      return listing.status === "ok" && listing.id === id;
    });
  }

  #sessionsIn(folder: string): readonly string[] {
    try {
      const names = uninterrupted(() => this.#options.fileSystem.readdirSync(folder));
      const visible = names.filter((name) => !name.startsWith("."));
      return visible
        .sort()
        .map((name) => join(folder, name))
        .filter((path) => this.#isSession(path));
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageError(error, { operation: "list", path: folder });
    }
  }

  #isSession(path: string): boolean {
    const { fileSystem } = this.#options;
    return uninterrupted(() => fileSystem.statSync(metadataPath(path), { throwIfNoEntry: false }))?.isFile() ?? false;
  }

  #listing(path: string): SessionListing {
    try {
      const log = DirectoryLog.open(path, this.#options);
      try {
        return { ...summaryOf(log), path };
      } finally {
        log.close();
      }
    } catch (error) {
      return { status: "unreadable", path, error };
    }
  }

  #rename(from: string, to: string, { mayBeMissing }: { readonly mayBeMissing: boolean }): void {
    const { fileSystem } = this.#options;
    try {
      uninterrupted(() => fileSystem.renameSync(from, to));
      if (this.#publish.sync) syncDirectory(this.#root, fileSystem);
    } catch (error) {
      if (mayBeMissing && isMissing(error)) return;
      throw storageError(error, { operation: "rename", path: from });
    }
  }

  /** Throws `outside_store`. */
  #requireInside(location: string): void {
    const { fileSystem } = this.#options;
    const real = (path: string) => {
      try {
        return uninterrupted(() => fileSystem.realpathSync(path));
      } catch (error) {
        if (isMissing(error)) return resolve(path);
        throw storageError(error, { operation: "resolve", path });
      }
    };
    const store = real(this.#root);
    const path = real(location);
    if (path.startsWith(store + sep)) return;
    throw new SessionError("outside_store", `${path} is not in ${store}`, { path, store });
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
