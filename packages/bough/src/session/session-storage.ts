/// <reference lib="esnext.disposable" preserve="true" />
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader, SessionMetadata } from "../entry/header.ts";
import { SessionError } from "../errors.ts";
import type { Leaf } from "../tree/session-tree.ts";
import type { SessionStats } from "../tree/statistics.ts";
import type { AppendRequest, Cursor } from "./append-request.ts";
import { makesOwnIds } from "./entry-factory.ts";
import { type ForkTarget, forkCopies, forkHeader, forkRecords, proveTarget } from "./fork.ts";
import type { ForkContent } from "./forked-entries.ts";
import { closedSession } from "./missing.ts";
import { requireSessionId } from "./new-header.ts";
import type { Program } from "./program.ts";
import { type ProgressOptions, progressOf } from "./progress.ts";
import { type EntryCursor, entriesFrom, entriesOfType, pathFromCompaction, pathOf } from "./queries.ts";
import type { SessionHost } from "./session-host.ts";
import type { SessionRef, SessionStore, StoredSession } from "./session-store.ts";

/** Where a storage's log came from, and where its forks go. */
export interface StorageOrigin {
  readonly store: SessionStore;
  readonly ref: SessionRef;
  /** Opens a host for a log the store has just made. */
  readonly adopt: (stored: StoredSession) => Promise<SessionHost>;
}

export interface ForkOptions<TMetadata extends SessionMetadata = SessionMetadata> {
  readonly position?: ForkTarget["position"];
  readonly id?: string;
  readonly cwd?: string;
  /** The source's unless given. */
  readonly metadata?: TMetadata;
}

/**
 * One session over any log: entries in, entries out, and a leaf. Made by a store or a repo. Several storages may share
 * one log; each has its own leaf, which starts at the file's and moves only by its own appends and moves.
 */
export class SessionStorage<TMetadata extends SessionMetadata = SessionMetadata> implements AsyncDisposable {
  readonly host: SessionHost;
  readonly cursor: Cursor;
  readonly #origin: StorageOrigin | undefined;
  #isOpen = true;

  /** Without an origin the session belongs to no store: `fork` and `delete` are `invalid_state`. */
  constructor(host: SessionHost, origin?: StorageOrigin) {
    this.host = host.retain();
    this.#origin = origin;
    const { leaf } = host.state;
    this.cursor = { leaf, tip: leaf };
  }

  get id(): string {
    return this.host.id;
  }

  get header(): SessionHeader<TMetadata> {
    return this.host.state.header as SessionHeader<TMetadata>;
  }

  get ref(): SessionRef {
    return this.#origin?.ref ?? { id: this.id };
  }

  /** The application's own data, as the header holds it; an empty object if none. */
  get metadata(): TMetadata {
    return (this.header.metadata ?? {}) as TMetadata;
  }

  async getMetadata(): Promise<TMetadata> {
    return this.metadata;
  }

  async getLeafId(): Promise<Leaf> {
    return this.cursor.leaf;
  }

  /** Moves the leaf and stores the move; a mark's id means its position. Rejects with `not_found`. */
  async setLeafId(id: Leaf): Promise<void> {
    await this.append({ kind: "move", cursor: this.cursor, target: id, record: true });
  }

  /** An id that no entry of this session has or will get, but the one it is given to. */
  async createEntryId(): Promise<string> {
    return this.#open.state.setAside();
  }

  /**
   * Stores a whole entry, id and parent as given, and returns its id. Storing it again changes nothing; other content
   * under its id is `already_exists`. Rejects with `invalid_entry`, `unknown_parent`.
   */
  async appendEntry(entry: SessionTreeEntry): Promise<string> {
    return (await this.appendEntries([entry]))[0] as string;
  }

  /** As `appendEntry`, all in one write: after a crash the first of them may stand without the rest. */
  async appendEntries(entries: readonly SessionTreeEntry[]): Promise<readonly string[]> {
    return await this.append({ kind: "entries", cursor: this.cursor, entries });
  }

  async getEntry(id: string): Promise<SessionTreeEntry | undefined> {
    return await this.read(this.host.isReadable(id) ? this.host.state.entry(id) : absent());
  }

  /** All entries of all branches in log order, marks included. */
  async getEntries(cursor: EntryCursor = {}): Promise<readonly SessionTreeEntry[]> {
    return await this.read(entriesFrom(this.host.state, cursor, this.#isReadable));
  }

  async findEntries<T extends SessionTreeEntry["type"]>(
    type: T,
  ): Promise<readonly Extract<SessionTreeEntry, { type: T }>[]> {
    const entries = await this.read(entriesOfType(this.host.state, type, this.#isReadable));
    return entries as readonly Extract<SessionTreeEntry, { type: T }>[];
  }

  /** The path to `id`, by default to the leaf; root first. Rejects with `not_found`. */
  async getBranch(id: Leaf = this.cursor.leaf): Promise<readonly SessionTreeEntry[]> {
    return await this.read(pathOf(this.host.state, id));
  }

  async getPathToRoot(id: Leaf): Promise<readonly SessionTreeEntry[]> {
    return await this.getBranch(id);
  }

  /** The end of the path to `id`, from where the last compaction lets the context begin. */
  async getPathToRootOrCompaction(id: Leaf): Promise<readonly SessionTreeEntry[]> {
    if (id !== null) this.#open.state.requireHead(id);
    return await this.read(pathFromCompaction(this.host.state, id));
  }

  async getLabel(id: string): Promise<string | undefined> {
    return this.#open.state.tree.labelOf(id);
  }

  async getSessionName(): Promise<string | undefined> {
    return this.#open.state.tree.name;
  }

  /** Counts over all branches. The first time every entry is read. */
  async getSessionStats(options: ProgressOptions = {}): Promise<SessionStats> {
    return await this.read(this.#open.state.statistics(progressOf(options)));
  }

  /**
   * Copies the path to an entry (without one: the whole tree) into a new session of the same store, and opens it. The
   * source is not touched. Rejects with `not_found`, `invalid_fork_target`, `already_exists`.
   */
  async fork(entryId?: string, options: ForkOptions<TMetadata> = {}): Promise<SessionStorage<TMetadata>> {
    const { state } = this.#open;
    const { store, ref, adopt } = this.#requireOrigin();
    if (options.id !== undefined) requireSessionId(options.id);
    const { position, ...header } = options;
    const target = { ...(entryId !== undefined && { entryId }), ...(position && { position }) };
    if (entryId !== undefined) await this.lookFor(entryId);
    await this.read(proveTarget(state, target));
    const { location } = ref;
    const named = { id: state.factory.newId(), ...(location !== undefined && { parentSession: location }), ...header };
    const headed = ({ inheritedEntries }: ForkContent<unknown>) =>
      forkHeader(this.header, inheritedEntries, named, state.factory);
    const placement = { hasOwnId: options.id === undefined && makesOwnIds(state.factory) };
    let stored: StoredSession;
    if (store.copy) {
      const content = forkCopies(state, target);
      stored = await store.copy(headed(content), this.#pieces(content.pieces), placement);
    } else {
      const content = forkRecords(state, target);
      stored = await store.create(headed(content), this.#pieces(content.pieces), placement);
    }
    return new SessionStorage<TMetadata>(await adopt(stored), { store, adopt, ref: stored.ref });
  }

  /** Looks what others wrote, if an entry is not there as far as is known. */
  async lookFor(id: string): Promise<void> {
    if (!this.#open.state.has(id)) await this.#open.refresh();
  }

  /** Moves the session to the store's trash; appending to it is `session_deleted` from then on, reading still works. */
  async delete(): Promise<void> {
    const { store, ref } = this.#requireOrigin();
    await store.remove(ref);
  }

  /** Hands a request to the log's owner; resolves with ids once they are as durable as promised. */
  append(request: AppendRequest): Promise<readonly string[]> {
    return this.#isOpen ? this.host.append(request) : Promise.reject(closedSession(this.id));
  }

  /** Resolves when everything appended before would survive a power loss. */
  async flush(): Promise<void> {
    await this.#open.flush();
  }

  /** Runs a program that reads. Rejects with `closed` after `cleanup`. */
  async read<T>(program: Program<T>): Promise<T> {
    return await this.#open.read(program);
  }

  /** Releases handles, after what is under way has been acknowledged. Idempotent. */
  async cleanup(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.host.release();
  }

  async close(): Promise<void> {
    await this.cleanup();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  #requireOrigin(): StorageOrigin {
    if (this.#origin) return this.#origin;
    const reason = "it was opened without a store";
    throw new SessionError("invalid_state", `session ${this.id}: ${reason}`, { reason });
  }

  async *#pieces<T>(programs: Iterable<Program<T>>): AsyncGenerator<T> {
    for (const program of programs) yield await this.host.read(program);
  }

  /** The host, for as long as this storage is open. */
  get #open(): SessionHost {
    if (!this.#isOpen) throw closedSession(this.id);
    return this.host;
  }

  readonly #isReadable = (head: { readonly id: string }) => this.host.isReadable(head.id);
}

// biome-ignore lint/correctness/useYield: a program that needs nothing of the log
function* absent(): Program<undefined> {
  return undefined;
}
