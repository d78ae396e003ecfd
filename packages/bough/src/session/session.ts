/// <reference lib="esnext.disposable" preserve="true" />
import {
  mergeContextOptions,
  type SessionContext,
  type SessionContextBuildOptions,
  type SessionContextResult,
} from "../context/index.ts";
import type { Diagnostic } from "../entry/diagnostic.ts";
import type { ContextEditEntry, CustomEntry, EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { SessionHeader, SessionMetadata } from "../entry/header.ts";
import { jsonCopy } from "../entry/json.ts";
import { kindOf } from "../entry/kind.ts";
import type { MessageInput, ThinkingLevel } from "../entry/message.ts";
import { SessionError } from "../errors.ts";
import type { Leaf, ReadonlySessionTree } from "../tree/session-tree.ts";
import type { SessionStats } from "../tree/statistics.ts";
import type { AppendRequest, BatchItem, Composer, Cursor } from "./append-request.ts";
import * as appender from "./appenders.ts";
import { type CheckReport, checkup, structuralFindings } from "./checkup.ts";
import { activePathAt, contextAt, contextEntriesAt, customStateAt } from "./context-reading.ts";
import type { Program } from "./program.ts";
import { type ProgressOptions, progressOf } from "./progress.ts";
import {
  type Branch,
  branches,
  children,
  type EntryCursor,
  pathOf,
  type SessionTreeNode,
  treeOf,
  wholeTree,
} from "./queries.ts";
import { serialisedDraft } from "./record.ts";
import type { ForkOptions, SessionStorage } from "./session-storage.ts";
import { type WatchOptions, watchEntries } from "./watch.ts";

export interface SessionOptions<TMetadata extends SessionMetadata = SessionMetadata> {
  readonly storage: SessionStorage<TMetadata>;
  /** In force for every context of this session; a call's own come after them or win. */
  readonly contextBuildOptions?: SessionContextBuildOptions;
}

export interface MoveSummary extends Omit<appender.BranchSummaryInput, "fromId"> {}

export interface Refreshed {
  /** What other processes wrote since the last look, in log order. */
  readonly entries: readonly SessionTreeEntry[];
  readonly leafId: Leaf;
}

/**
 * A conversation as a tree, and a place in it. Appenders add a child at the leaf and resolve with its id once it is as
 * durable as the session promises; called without waiting they still form one chain, in call order. Labels, names and
 * usage are marks: they hang beside the conversation and leave the leaf where it is.
 *
 * Reads return frozen entries. Of an id that isn't there `getEntry`, `getLabel` and `getChildren` know nothing; one that
 * names a place rejects with `not_found`. After `close` what needs no log (id, header, leaf, heads) can still be asked
 * for, and the session deleted; all else rejects with `closed`.
 */
export class Session<TMetadata extends SessionMetadata = SessionMetadata> implements AsyncDisposable {
  readonly storage: SessionStorage<TMetadata>;
  /** In force for every context of this session. */
  readonly contextBuildOptions: SessionContextBuildOptions;
  readonly #cursor: Cursor;
  /** Whether moves are stored, so that the file's leaf follows. */
  readonly #recordsMoves: boolean;
  #seenForeign: number;

  constructor(session: SessionStorage<TMetadata> | SessionOptions<TMetadata>, attempt?: { readonly leaf: Leaf }) {
    const { storage, contextBuildOptions = {} } = "storage" in session ? session : { storage: session };
    this.storage = storage;
    this.contextBuildOptions = contextBuildOptions;
    this.#cursor = attempt ? { leaf: attempt.leaf, tip: attempt.leaf } : storage.cursor;
    this.#recordsMoves = attempt === undefined;
    this.#seenForeign = storage.host.foreign.length;
  }

  get id(): string {
    return this.storage.id;
  }

  get header(): SessionHeader<TMetadata> {
    return this.storage.header;
  }

  get metadata(): TMetadata {
    return this.storage.metadata;
  }

  /** Where the next entry is attached; null before any. */
  get leafId(): Leaf {
    return this.#cursor.leaf;
  }

  /** The index over all branches, with labels and name; it goes on to follow what is appended. */
  async readTree(): Promise<ReadonlySessionTree> {
    return await this.#read(wholeTree(this.#state));
  }

  /** What is known of all entries without their bodies, the last one first; older ones are read as they are asked for. */
  headsBackwards(): Iterable<EntryHead> {
    return this.#state.headsBackwards();
  }

  /** What is wrong with the stored session as far as its heads show, and bodies that were read; `check` reads all of it. */
  get diagnostics(): readonly Diagnostic[] {
    return structuralFindings(this.#state);
  }

  /** Reads everything and reports all that is wrong with it. */
  async check(options: ProgressOptions = {}): Promise<CheckReport> {
    return await this.#read(checkup(this.#state, progressOf(options)));
  }

  getStorage(): SessionStorage<TMetadata> {
    return this.storage;
  }

  async getMetadata(): Promise<TMetadata> {
    return this.metadata;
  }

  async getLeafId(): Promise<Leaf> {
    return this.leafId;
  }

  async getLeafEntry(): Promise<SessionTreeEntry | undefined> {
    return this.leafId === null ? undefined : await this.getEntry(this.leafId);
  }

  async getEntry(id: string): Promise<SessionTreeEntry | undefined> {
    return await this.storage.getEntry(id);
  }

  /** All entries of all branches in log order, marks included. */
  async getEntries(cursor?: EntryCursor): Promise<readonly SessionTreeEntry[]> {
    return await this.storage.getEntries(cursor);
  }

  async findEntries<T extends SessionTreeEntry["type"]>(
    type: T,
  ): Promise<readonly Extract<SessionTreeEntry, { type: T }>[]> {
    return await this.storage.findEntries(type);
  }

  /** The path to `id`, by default to the leaf; root first. */
  async getBranch(id: Leaf = this.leafId): Promise<readonly SessionTreeEntry[]> {
    return await this.#read(pathOf(this.#state, id));
  }

  /**
   * The entries of the path to `id` that any context there depends on, in path order: what `buildSessionContext`,
   * `prepareCompaction` and `contextTokens` make of them they would make of the whole path. Reads nothing else.
   */
  async getActivePath(id: Leaf = this.leafId): Promise<readonly SessionTreeEntry[]> {
    this.#requirePlace(id);
    return await this.#read(activePathAt(this.#state, id));
  }

  async getPath(id: Leaf = this.leafId): Promise<readonly SessionTreeEntry[]> {
    return await this.getBranch(id);
  }

  async getPathToRoot(id: Leaf): Promise<readonly SessionTreeEntry[]> {
    return await this.storage.getPathToRoot(id);
  }

  /** As `SessionStorage.getPathToRootOrCompaction`. */
  async getPathToRootOrCompaction(id: Leaf): Promise<readonly SessionTreeEntry[]> {
    return await this.storage.getPathToRootOrCompaction(id);
  }

  /** Entries that name `id` as their parent (null: roots), in log order. */
  async getChildren(id: Leaf): Promise<readonly SessionTreeEntry[]> {
    return await this.#read(children(this.#state, id, this.#isReadable));
  }

  /** The whole session as nodes, bodies included; `bough/outline` draws trees without holding them. */
  async getTree(): Promise<SessionTreeNode[]> {
    return await this.#read(treeOf(this.#state, this.#isReadable));
  }

  /** The ends of all branches, in log order. */
  async branches(): Promise<readonly Branch[]> {
    return await this.#read(branches(this.#state, this.#isReadable));
  }

  async getLabel(id: string): Promise<string | undefined> {
    return await this.storage.getLabel(id);
  }

  async getSessionName(): Promise<string | undefined> {
    return await this.storage.getSessionName();
  }

  async getSessionStats(options: ProgressOptions = {}): Promise<SessionStats> {
    return await this.storage.getSessionStats(options);
  }

  /** What the model is sent at the leaf. */
  async buildContext(options: ContextOptions = {}): Promise<SessionContext> {
    return (await this.inspectContext(options)).context;
  }

  /** As `buildContext`, with what was wrong on the part of the path that was read. */
  async inspectContext({ leafId = this.leafId, ...options }: ContextOptions = {}): Promise<SessionContextResult> {
    this.#requirePlace(leafId);
    return await this.#read(contextAt(this.#state, leafId, mergeContextOptions(this.contextBuildOptions, options)));
  }

  /** The entries that a context at the leaf is made of, in its order. */
  async buildContextEntries({
    leafId = this.leafId,
    ...options
  }: ContextOptions = {}): Promise<readonly SessionTreeEntry[]> {
    this.#requirePlace(leafId);
    return await this.#read(
      contextEntriesAt(this.#state, leafId, mergeContextOptions(this.contextBuildOptions, options)),
    );
  }

  /** State that an application keeps in `custom` entries, as of `leaf`: going back in the tree goes back in it. */
  async stateAt<T>(
    leaf: Leaf,
    customType: string,
    fold: (before: T | undefined, entry: CustomEntry) => T,
  ): Promise<T | undefined> {
    this.#requirePlace(leaf);
    return await this.#read(customStateAt(this.#state, leaf, customType, fold));
  }

  /** Time, usage, provider and stop reason are filled in where missing. Rejects with `invalid_entry`. */
  async appendMessage(message: MessageInput): Promise<string> {
    const draft = appender.message(message, this.#state.factory.now());
    return (await this.storage.append(this.#childOf(draft)))[0] as string;
  }

  /** A chain of messages in one write: after a crash the first of them may stand without the rest. */
  async appendMessages(messages: readonly MessageInput[]): Promise<readonly string[]> {
    const now = this.#state.factory.now();
    const drafts = messages.map((message) => serialisedDraft(appender.message(message, now)));
    return await this.storage.append({ kind: "drafts", cursor: this.#cursor, drafts });
  }

  /** Any entry as its type asks: a child of the leaf, or a mark. Moves are `moveTo`'s and rejected here. */
  async appendEntry(draft: EntryDraft): Promise<string> {
    if (draft.type === "leaf") {
      const reason = "a move of the leaf is made with moveTo";
      throw new SessionError("invalid_entry", reason, { field: "type", reason });
    }
    return kindOf(draft) === "mark" ? await this.#mark(draft) : await this.#appendChild(draft);
  }

  /**
   * Children of the leaf and operations of a harness in one write: after a crash the first of them may stand without
   * the rest. Operations are marks of bough's own types and the only way to write them. Rejects with `already_exists`
   * where an id that was set aside has been used.
   */
  async appendBatch(items: readonly BatchItem[]): Promise<readonly string[]> {
    return await this.storage.append({ kind: "batch", cursor: this.#cursor, items: jsonCopy(items) });
  }

  async appendModelChange(provider: string, modelId: string): Promise<string> {
    return await this.#appendChild(appender.modelChange(provider, modelId));
  }

  async appendThinkingLevelChange(level: ThinkingLevel): Promise<string> {
    return await this.#appendChild(appender.thinkingLevelChange(level));
  }

  async appendActiveToolsChange(names: readonly string[]): Promise<string> {
    return await this.#appendChild(appender.activeToolsChange(names));
  }

  /**
   * From here on the summary stands for the path, but for what is kept. The state in force and what system messages add
   * up to are stored with it. With `leafId` it is refused with `leaf_moved` if the leaf is another when its turn to be written comes.
   */
  async appendCompaction(
    compaction: appender.CompactionInput,
    { leafId }: { readonly leafId?: Leaf } = {},
  ): Promise<string> {
    const compose = [appender.compaction(jsonCopy(compaction), this.#state)];
    const expected = leafId !== undefined && { expected: { leaf: leafId } };
    return (await this.storage.append({ kind: "children", cursor: this.#cursor, ...expected, compose }))[0] as string;
  }

  async appendBranchSummary(summary: appender.BranchSummaryInput): Promise<string> {
    return await this.#appendOne(appender.branchSummary(jsonCopy(summary)));
  }

  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    return await this.#appendChild(appender.customEntry(customType, data));
  }

  async appendCustomMessageEntry(message: appender.CustomMessageInput): Promise<string> {
    return await this.#appendChild(appender.customMessage(message));
  }

  /** Replaces or (null) omits what an earlier message of this path contributes; going above the edit undoes it. */
  async appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): Promise<string> {
    return await this.#appendOne(appender.contextEdit(targetId, jsonCopy(replacement), this.#state));
  }

  async appendSessionInit(init: appender.SessionInitInput): Promise<string> {
    return await this.#appendChild(appender.sessionInit(init));
  }

  async appendTtsrInjection(rules: readonly string[]): Promise<string> {
    return await this.#appendChild(appender.ttsrInjection(rules));
  }

  /** Labels an entry of any branch; a blank label clears. */
  async appendLabel(targetId: string, label?: string): Promise<string> {
    return await this.#mark(appender.label(targetId, label));
  }

  async appendSessionName(name: string): Promise<string> {
    return await this.#mark(appender.sessionInfo(name));
  }

  /** Counts a call that is no message of the conversation. */
  async appendUsage(usage: appender.UsageInput): Promise<string> {
    return await this.#mark(appender.usage(usage));
  }

  /**
   * Goes to another entry (a mark's id means the place it was made at), or before any. With a summary of what is left
   * behind that is stored there instead of the move, and its id returned. To the leaf itself nothing is written.
   */
  async moveTo(id: Leaf, summary?: MoveSummary): Promise<string | undefined> {
    if (id !== null) await this.storage.lookFor(id);
    const target = id === null ? null : await this.#read(this.#state.positionOf(id));
    if (summary === undefined || target === this.#cursor.tip) {
      await this.storage.append({ kind: "move", cursor: this.#cursor, target, record: this.#recordsMoves });
      return undefined;
    }
    const compose = [appender.branchSummary(jsonCopy(summary))];
    const ids = await this.storage.append({ kind: "children", cursor: this.#cursor, under: { target }, compose });
    return ids[0];
  }

  /**
   * Another attempt in the same session: starts at `id`, appends there, and its moves are not stored. Both see each
   * other's entries and neither moves the other's leaf.
   */
  at(id: Leaf): Session<TMetadata> {
    const leaf = id === null ? null : this.#state.placeOf(id);
    return new Session({ storage: this.storage, contextBuildOptions: this.contextBuildOptions }, { leaf });
  }

  /** As `SessionStorage.fork`. */
  async fork(entryId?: string, options?: ForkOptions<TMetadata>): Promise<Session<TMetadata>> {
    const storage = await this.storage.fork(entryId, options);
    return new Session({ storage, contextBuildOptions: this.contextBuildOptions });
  }

  /** Moves the session to the trash of its store. */
  async delete(): Promise<void> {
    await this.storage.delete();
  }

  /** Looks what other processes wrote. The leaf stays where it is; with `follow` it goes where the file's leaf is. */
  async refresh(options: { readonly follow?: boolean } = {}): Promise<Refreshed> {
    const { host } = this.storage;
    await host.refresh();
    const seen = host.foreign.length;
    const heads = this.#state.present(host.foreign.slice(this.#seenForeign));
    const entries = await this.#read(this.#state.entries(heads));
    this.#seenForeign = seen;
    if (options.follow) {
      await this.storage.append({ kind: "move", cursor: this.#cursor, target: this.#state.leaf, record: false });
    }
    return { entries, leafId: this.leafId };
  }

  /** Entries that become readable from now on (see `watchEntries`). */
  watch(options: WatchOptions = {}): AsyncIterable<SessionTreeEntry> {
    return watchEntries(this.storage.host, options);
  }

  /** Resolves when everything appended before would survive a power loss. */
  async flush(): Promise<void> {
    await this.storage.flush();
  }

  /** Closes the storage (see `SessionStorage.cleanup`). */
  async close(): Promise<void> {
    await this.storage.cleanup();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #state() {
    return this.storage.host.state;
  }

  readonly #isReadable = (head: { readonly id: string }) => this.storage.host.isReadable(head.id);

  #requirePlace(leaf: Leaf): void {
    if (leaf !== null) this.#state.requireHead(leaf);
  }

  async #read<T>(program: Program<T>): Promise<T> {
    return await this.storage.read(program);
  }

  async #appendChild(draft: EntryDraft): Promise<string> {
    return (await this.storage.append(this.#childOf(draft)))[0] as string;
  }

  /** What the caller passed is copied now: changing it afterwards changes nothing. */
  #childOf(draft: EntryDraft): AppendRequest {
    return { kind: "drafts", cursor: this.#cursor, drafts: [serialisedDraft(draft)] };
  }

  async #appendOne(composer: Composer): Promise<string> {
    const request = { kind: "children", cursor: this.#cursor, compose: [composer] } as const;
    return (await this.storage.append(request))[0] as string;
  }

  async #mark(draft: EntryDraft): Promise<string> {
    return (await this.storage.append({ kind: "mark", draft: jsonCopy(draft) }))[0] as string;
  }
}

export interface ContextOptions extends SessionContextBuildOptions {
  /** Where to build it; the leaf unless given. Rejects with `not_found`. */
  readonly leafId?: Leaf;
}
