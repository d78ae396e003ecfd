/// <reference lib="esnext.disposable" preserve="true" />
import type { SessionContextBuildOptions } from "../context/index.ts";
import type { SessionMetadata } from "../entry/header.ts";
import { isBoughError } from "../errors.ts";
import { durabilityOf } from "./durability.ts";
import { makesOwnIds } from "./entry-factory.ts";
import { type CreateOptions, newHeader } from "./new-header.ts";
import { sameJson } from "./same-json.ts";
import { Session } from "./session.ts";
import { type HostOptions, SessionHost } from "./session-host.ts";
import { type ForkOptions, SessionStorage } from "./session-storage.ts";
import type {
  ListOptions,
  SessionInfo,
  SessionListing,
  SessionRef,
  SessionStore,
  StoredSession,
} from "./session-store.ts";

export interface RepoOptions extends HostOptions {
  readonly store: SessionStore;
  readonly contextBuildOptions?: SessionContextBuildOptions;
  /** Of sessions created without one; nothing unless given, in repos of files where the process works. */
  readonly cwd?: string;
}

export interface OpenOptions<TMetadata extends SessionMetadata = SessionMetadata> {
  /** Creates a session of exactly this id if there is none; of a path only in an empty file. */
  readonly create?: boolean | Omit<CreateOptions<TMetadata>, "id">;
}

export interface RepoListOptions<TMetadata extends SessionMetadata = SessionMetadata> extends ListOptions {
  /** Only sessions whose metadata has these values. */
  readonly metadata?: Partial<TMetadata>;
  /** At most so many, of those that match. */
  readonly limit?: number;
}

/**
 * Many sessions in one store. Callers who open the same session share its log, so that nothing is read twice and appends
 * form one order; each still has its own leaf.
 */
export class SessionRepo<TMetadata extends SessionMetadata = SessionMetadata> implements AsyncDisposable {
  readonly store: SessionStore;
  readonly #options: RepoOptions;
  readonly #hosts = new Map<string, Promise<SessionHost>>();

  constructor(options: RepoOptions) {
    this.store = options.store;
    this.#options = { ...options, durability: durabilityOf(options.durability) };
  }

  /** The header is stored when this resolves. Rejects with `already_exists`, or `invalid_session` for an unusable id. */
  async create(options: CreateOptions<TMetadata> = {}): Promise<Session<TMetadata>> {
    return await this.#create(options);
  }

  async #create(options: CreateOptions<TMetadata>, location?: string): Promise<Session<TMetadata>> {
    const { cwd, factory } = this.#options;
    const header = newHeader({ ...(cwd !== undefined && { cwd }), ...options }, factory);
    const hasOwnId = options.id === undefined && makesOwnIds(factory);
    const stored = await this.store.create(header, [], { ...(location !== undefined && { location }), hasOwnId });
    return await this.#session(stored.ref, () => this.#host(stored));
  }

  /**
   * By id, by what `list` returned, by unique prefix or suffix of an id, by name, by path. Never creates a session
   * unless asked to. Rejects with `not_found`, `ambiguous`, `invalid_session`, `unsupported_version`, `outside_store`.
   */
  async open(
    session: string | SessionRef | SessionInfo,
    options: OpenOptions<TMetadata> = {},
  ): Promise<Session<TMetadata>> {
    try {
      const ref = await this.#resolve(session);
      return await this.#session(ref, async () => await this.#host(await this.store.open(ref)));
    } catch (error) {
      if (!options.create || typeof session !== "string" || !isBoughError(error, "not_found")) throw error;
      return await this.#createOrOpen(session, options.create === true ? {} : options.create);
    }
  }

  /** Newest first by last message; sessions that can't be read are left out (`scan` has them). */
  async list(options: RepoListOptions<TMetadata> = {}): Promise<readonly SessionInfo<TMetadata>[]> {
    const found: { readonly info: SessionInfo<TMetadata>; readonly time: number }[] = [];
    const { limit, ...filter } = options;
    for await (const listing of this.scan(filter)) {
      if (listing.status === "ok") found.push({ info: listing, time: Date.parse(listing.modified) });
    }
    found.sort((a, b) => b.time - a.time || (a.info.id < b.info.id ? 1 : -1));
    return found.slice(0, limit).map(({ info }) => info);
  }

  /** Everything in the store as it is found, damaged sessions included; with a `limit` the first that are found. */
  async *scan(options: RepoListOptions<TMetadata> = {}): AsyncGenerator<SessionListing<TMetadata>, void> {
    const { metadata = {}, limit = Number.POSITIVE_INFINITY, ...rest } = options;
    const wanted = Object.entries(metadata);
    let found = 0;
    if (limit <= 0) return;
    for await (const listing of this.store.list(rest)) {
      const stored: SessionMetadata = (listing.status === "ok" && listing.metadata) || {};
      const matches = wanted.every(([key, value]) => Object.hasOwn(stored, key) && sameJson(stored[key], value));
      if (!matches) continue;
      yield listing as SessionListing<TMetadata>;
      if (++found >= limit) return;
    }
  }

  /** As `Session.fork`, without keeping the source open. */
  async fork(
    session: string | SessionRef | SessionInfo,
    entryId?: string,
    options?: ForkOptions<TMetadata>,
  ): Promise<Session<TMetadata>> {
    const source = await this.open(session);
    try {
      return await source.fork(entryId, options);
    } finally {
      await source.close();
    }
  }

  /** Moves a session to the trash; one that is not there is fine. Rejects with `ambiguous`, `busy`. */
  async delete(session: string | SessionRef | SessionInfo): Promise<void> {
    try {
      await this.store.remove(await this.#resolve(session));
    } catch (error) {
      if (!isBoughError(error, "not_found")) throw error;
    }
  }

  /** Takes a session out of the trash, of several of one id the one that was deleted last. Rejects with `not_found`, `already_exists`. */
  async undelete(id: string): Promise<SessionRef> {
    return await this.store.restore(id);
  }

  /** Destroys what is in the trash, all or one session of it, and resolves with how many. */
  async purge(id?: string): Promise<number> {
    return await this.store.purge(id);
  }

  /** Closes the sessions that are still open. Idempotent; the repo can be used again. */
  async cleanup(): Promise<void> {
    const hosts = await Promise.allSettled(this.#hosts.values());
    this.#hosts.clear();
    for (const host of hosts) if (host.status === "fulfilled") await host.value.close();
  }

  async close(): Promise<void> {
    await this.cleanup();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  /** Two callers that create one id at once both get it. */
  async #createOrOpen(id: string, options: Omit<CreateOptions<TMetadata>, "id">): Promise<Session<TMetadata>> {
    try {
      const location = this.store.vacancyAt(id);
      return location === undefined ? await this.create({ ...options, id }) : await this.#create(options, location);
    } catch (error) {
      if (!isBoughError(error, "already_exists")) throw error;
      return await this.open(id);
    }
  }

  async #resolve(session: string | SessionRef | SessionInfo): Promise<SessionRef> {
    if (typeof session === "string") return await this.store.resolve(session);
    if (!("status" in session)) return session;
    return { id: session.id, ...(session.path !== undefined && { location: session.path }) };
  }

  async #session(ref: SessionRef, open: () => Promise<SessionHost>): Promise<Session<TMetadata>> {
    const adopt = (stored: StoredSession) => this.#share(stored.ref, () => this.#host(stored));
    const storage = new SessionStorage<TMetadata>(await this.#share(ref, open), { store: this.store, ref, adopt });
    const { contextBuildOptions } = this.#options;
    return new Session<TMetadata>({ storage, ...(contextBuildOptions && { contextBuildOptions }) });
  }

  /** The host that already serves a session, or one that is opened now. To be retained at once. */
  async #share(ref: SessionRef, open: () => Promise<SessionHost>): Promise<SessionHost> {
    const key = ref.location ?? ref.id;
    for (;;) {
      const known = this.#hosts.get(key);
      const opening = known ?? open();
      if (!known) this.#hosts.set(key, opening);
      const host = await (known ? opening.catch(() => undefined) : opening);
      if (host && !host.isClosed) return host;
      if (this.#hosts.get(key) === opening) this.#hosts.delete(key);
    }
  }

  async #host(stored: StoredSession): Promise<SessionHost> {
    return await SessionHost.open(stored.log, this.#options);
  }
}
