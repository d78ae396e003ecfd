import { join, resolve } from "node:path";
import type { ContextEditEntry, EntryDraft } from "../entry/entry.ts";
import { jsonCopy } from "../entry/json.ts";
import type { MessageInput, ThinkingLevel, UserContent } from "../entry/message.ts";
import type { Usage } from "../entry/usage.ts";
import { SessionError } from "../errors.ts";
import type { Composer } from "../session/append-request.ts";
import * as appender from "../session/appenders.ts";
import type { SyncEntryLog } from "../session/entry-log.ts";
import { serialisedDraft } from "../session/record.ts";
import { nodeFs } from "../storage/files/node-modules.ts";
import { sessionOfId } from "../storage/jsonl/find-session.ts";
import { newestSession } from "../storage/jsonl/newest-session.ts";
import { defaultStore, projectFolder } from "../storage/jsonl/project-folder.ts";
import type { Leaf } from "../tree/session-tree.ts";
import { modelNamed, usageOrData } from "./arguments.ts";
import type { FileEntry } from "./given-entries.ts";
import { type ListedSession, type ListProgress, listedSessions } from "./listed-session.ts";
import {
  beginSession,
  copySession,
  type Home,
  homeOf,
  type ManagerOptions,
  type NewSessionOptions,
  openLog,
  openSession,
  openSource,
  type PlacedSession,
} from "./placing.ts";
import { type Held, ReadonlySessionManager } from "./readonly-session-manager.ts";

/**
 * A session with synchronous calls, for code that comes from pi or oh-my-pi; `Session` is the interface for new code.
 * Both share every rule, so they write the same.
 *
 * An appender returns the new entry's id when the entry is written and read back; whether it survives a power loss
 * `flush` tells. A new session has a file from its first message of the user or the model on; what was appended before
 * is kept in memory and stored with it. What fails throws and leaves everything as it was.
 *
 * Labels, names and usage are marks and leave the leaf where it is.
 */
export class SessionManager extends ReadonlySessionManager implements Disposable, AsyncDisposable {
  readonly #held: Held;
  /** Sessions left behind whose last entries are on their way to the disk. */
  #left: Promise<unknown> = Promise.resolve();

  private constructor(home: Home, placed: PlacedSession) {
    const held = { home, placed };
    super(held);
    this.#held = held;
  }

  /** A new session of a working directory; its file comes with its first message. */
  static create(cwd: string, sessionDir?: string, options: NewSessionOptions & ManagerOptions = {}): SessionManager {
    const home = fileHome(cwd, sessionDir, options);
    return new SessionManager(home, beginSession(home, given(options)));
  }

  /**
   * Opens a session file and writes nothing. A missing or empty path begins a session of that path. Throws
   * `invalid_session` for anything else that is no session.
   */
  static open(path: string, sessionDir?: string, cwdOverride?: string, options: ManagerOptions = {}): SessionManager {
    const directory = sessionDir === undefined ? homeOf(path) : resolve(sessionDir);
    const cwd = resolve(cwdOverride ?? ".");
    const placed = openSession(path, { cwd, options });
    const stored = cwdOverride === undefined ? placed.session.state.header.cwd : "";
    return new SessionManager({ cwd: stored || cwd, directory, options }, placed);
  }

  /**
   * The session of `cwd` in which the user or the model last said something, a fork like any other, opened: the first of
   * `list`. A new one if there is none. Of each file only the header and the end are read.
   */
  static continueRecent(cwd: string, sessionDir?: string, options: ManagerOptions = {}): SessionManager {
    const home = fileHome(cwd, sessionDir, options);
    const newest = newestSession(rootOf(sessionDir), home.cwd);
    return new SessionManager(home, newest === undefined ? beginSession(home, {}) : openSession(newest, home));
  }

  /** The path of the session with exactly this id; undefined if `cwd` has none. Reads headers only. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    return sessionOfId(rootOf(sessionDir), resolve(cwd), id);
  }

  /** The sessions of `cwd`, newest first by when the user or the model last said something. */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: ListProgress,
    signal?: AbortSignal,
  ): Promise<ListedSession[]> {
    return await listedSessions(rootOf(sessionDir), { cwd: resolve(cwd), ...watched(onProgress, signal) });
  }

  /** Those of all projects, in the same order. */
  static async listAll(onProgress?: ListProgress, signal?: AbortSignal): Promise<ListedSession[]>;
  static async listAll(sessionDir?: string, onProgress?: ListProgress, signal?: AbortSignal): Promise<ListedSession[]>;
  static async listAll(
    ...given: readonly (string | ListProgress | AbortSignal | undefined)[]
  ): Promise<ListedSession[]> {
    const sessionDir = given.find((argument) => typeof argument === "string");
    const onProgress = given.find((argument) => typeof argument === "function");
    const signal = given.find((argument) => argument instanceof AbortSignal);
    return await listedSessions(rootOf(sessionDir), watched(onProgress, signal));
  }

  /** A session without a file. `entries`, a header among them or not, are taken in as a file of them would be. */
  static inMemory(
    cwd: string = process.cwd(),
    options: NewSessionOptions & ManagerOptions = {},
    entries: readonly FileEntry[] = [],
  ): SessionManager {
    const home = { cwd: resolve(cwd), options };
    return new SessionManager(home, beginSession(home, given(options), entries));
  }

  /** A session over any synchronous log, such as a `DirectoryLog`. It has no file, and its branched sessions are in memory. */
  static over(log: SyncEntryLog, options: ManagerOptions = {}): SessionManager {
    return new SessionManager({ cwd: log.header.cwd, options }, openLog(log, options));
  }

  /**
   * Copies a whole session, all branches with ids and times, into a new one of another working directory, whose parent is
   * the source. Its metadata is the source's unless given.
   */
  static forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    options: Omit<NewSessionOptions, "parentSession"> & ManagerOptions = {},
  ): SessionManager {
    const home = fileHome(targetCwd, sessionDir, options);
    const source = openSource(sourcePath, options);
    try {
      const copy = { ...given(options), parentSession: resolve(sourcePath) };
      return new SessionManager(home, copySession(source, {}, home, copy));
    } finally {
      void source.close();
    }
  }

  /** The same session, whichever it is at the time, without what changes it. */
  readOnly(): ReadonlySessionManager {
    return new ReadonlySessionManager(this.#held);
  }

  /** Time, usage, provider and stop reason are filled in where missing. Throws `invalid_entry`. */
  appendMessage(message: MessageInput): string {
    return this.#child(appender.message(message, this.#state.factory.now()));
  }

  appendThinkingLevelChange(thinkingLevel: ThinkingLevel): string {
    return this.#child(appender.thinkingLevelChange(thinkingLevel));
  }

  /** Either `(provider, modelId)`, or oh-my-pi's `("provider/modelId", role?)`. */
  appendModelChange(provider: string, modelIdOrRole?: string): string {
    const { provider: named, modelId, role } = modelNamed(provider, modelIdOrRole);
    return this.#child({ ...appender.modelChange(named, modelId), ...(role !== undefined && { role }) });
  }

  appendActiveToolsChange(activeToolNames: readonly string[]): string {
    return this.#child(appender.activeToolsChange(activeToolNames));
  }

  /**
   * From here on the summary stands for the path, but for what follows `firstKeptEntryId` (null: nothing). The sixth
   * argument is the usage of the summary, or oh-my-pi's data to be preserved.
   */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usageOrPreserveData?: unknown,
  ): string {
    const input: appender.CompactionInput = {
      summary,
      ...(firstKeptEntryId !== null && { firstKeptEntryId }),
      tokensBefore,
      ...(details !== undefined && { details }),
      ...(fromHook !== undefined && { fromHook }),
      ...usageOrData(usageOrPreserveData),
    };
    return this.#compose(appender.compaction(jsonCopy(input), this.#state));
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#child(appender.customEntry(customType, data));
  }

  appendCustomMessageEntry(customType: string, content: UserContent, display: boolean, details?: unknown): string {
    return this.#child(
      appender.customMessage({ customType, content, display, ...(details !== undefined && { details }) }),
    );
  }

  /** Replaces or (null) omits what an earlier message of this path contributes; going above the edit undoes it. */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    return this.#compose(appender.contextEdit(targetId, jsonCopy(replacement), this.#state));
  }

  appendSessionInit(init: appender.SessionInitInput): string {
    return this.#child(appender.sessionInit(init));
  }

  appendTtsrInjection(rules: readonly string[]): string {
    return this.#child(appender.ttsrInjection(rules));
  }

  /** Labels an entry of any branch; no label, or a blank one, clears. Throws `not_found`. */
  appendLabelChange(targetId: string, label?: string): string {
    return this.#mark(appender.label(targetId, label));
  }

  /** Names the session; a blank name clears. */
  appendSessionInfo(name: string): string {
    return this.#mark(appender.sessionInfo(name));
  }

  setSessionName(name: string): string {
    return this.appendSessionInfo(name);
  }

  /** Counts a call that is no message of the conversation. */
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): string {
    return this.#mark(appender.usage({ kind, provider, model, usage, ...(note !== undefined && { note }) }));
  }

  /** Goes to an entry, so that the next one becomes its child; the move is stored. Throws `not_found`. */
  branch(branchFromId: string): void {
    this.#move(branchFromId);
  }

  /** Goes before any entry: the next one becomes a root. */
  resetLeaf(): void {
    this.#move(null);
  }

  /** Goes to an entry (null: before any) and leaves there a summary of what is left behind. Throws `not_found`. */
  branchWithSummary(branchFromId: Leaf, summary: string, details?: unknown, fromHook?: boolean, usage?: Usage): string {
    const input = {
      summary,
      ...(details !== undefined && { details }),
      ...(fromHook !== undefined && { fromHook }),
      ...(usage !== undefined && { usage }),
    };
    return this.#compose(appender.branchSummary(jsonCopy(input)), { target: branchFromId });
  }

  /**
   * Goes on in a new session that holds the path to `leafId` with its labels and the name, and returns its file, which
   * is stored by then; undefined in memory. Throws `not_found`; after any error the manager is where it was.
   */
  createBranchedSession(leafId: string): string | undefined {
    const { home, placed } = this.#held;
    placed.session.requireOpen();
    const parentSession =
      placed.file !== undefined && nodeFs.existsSync(placed.file) ? { parentSession: placed.file } : {};
    return this.#goTo(copySession(placed.session, { entryId: leafId }, home, parentSession));
  }

  /** Goes on in a new, empty session, and returns the path it will have; undefined in memory. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    const { home, placed } = this.#held;
    placed.session.requireOpen();
    return this.#goTo(beginSession(home, options));
  }

  /** Goes to the session of another file, as `open` does. Of a manager without files it is `invalid_state`. */
  setSessionFile(path: string): void {
    const { home, placed: left } = this.#held;
    left.session.requireOpen();
    if (home.directory === undefined) {
      throw new SessionError("invalid_state", "a manager in memory has no files", { reason: "in_memory" });
    }
    const placed = openSession(path, home);
    this.#goTo(placed);
    this.#held.home = { ...home, cwd: placed.session.state.header.cwd || home.cwd };
  }

  /**
   * Resolves when everything stored so far would survive a power loss, sessions left meanwhile included; rejects if
   * that can't be reached. What waits for a first message is not stored.
   */
  async flush(): Promise<void> {
    const left = this.#left;
    this.#left = Promise.resolve();
    await left;
    await this.#held.placed.session.flush();
  }

  /**
   * Closes the session, once the disk has what it was promised. Idempotent; what appends, reads entries or goes to another
   * session is `closed` from then on.
   */
  async close(): Promise<void> {
    await Promise.all([this.#left, this.#held.placed.session.close()]);
  }

  /** As `close`, without waiting. */
  [Symbol.dispose](): void {
    this.close().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #state() {
    return this.#held.placed.session.state;
  }

  #goTo(placed: PlacedSession): string | undefined {
    this.#left = Promise.all([this.#left, this.#held.placed.session.close()]);
    // Told by `flush`, to whoever asks.
    this.#left.catch(() => undefined);
    this.#held.placed = placed;
    return placed.file;
  }

  #child(draft: EntryDraft): string {
    const { session } = this.#held.placed;
    return session.append({ kind: "drafts", cursor: session.cursor, drafts: [serialisedDraft(draft)] })[0] as string;
  }

  #compose(composer: Composer, under?: { readonly target: Leaf }): string {
    const { session } = this.#held.placed;
    const { cursor } = session;
    return session.append({ kind: "children", cursor, compose: [composer], ...(under && { under }) })[0] as string;
  }

  #mark(draft: EntryDraft): string {
    return this.#held.placed.session.append({ kind: "mark", draft: jsonCopy(draft) })[0] as string;
  }

  #move(target: Leaf): void {
    const { session } = this.#held.placed;
    session.append({ kind: "move", cursor: session.cursor, target, record: true });
  }
}

function fileHome(cwd: string, sessionDir: string | undefined, options: ManagerOptions): Home {
  const absolute = resolve(cwd);
  const directory = sessionDir === undefined ? join(defaultStore(), projectFolder(absolute)) : resolve(sessionDir);
  return { cwd: absolute, directory: resolve(directory), options };
}

/** Where sessions are looked for: the folder that was named, or all of the store. */
function rootOf(sessionDir: string | undefined): string {
  return sessionDir === undefined ? defaultStore() : resolve(sessionDir);
}

function watched(onProgress: ListProgress | undefined, signal: AbortSignal | undefined) {
  return { ...(onProgress && { onProgress }), ...(signal && { signal }) };
}

function given({ id, parentSession, metadata }: NewSessionOptions): NewSessionOptions {
  return {
    ...(id !== undefined && { id }),
    ...(parentSession !== undefined && { parentSession }),
    ...(metadata !== undefined && { metadata }),
  };
}
