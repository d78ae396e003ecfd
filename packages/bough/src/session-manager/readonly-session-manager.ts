import type { SessionContext, SessionContextBuildOptions } from "../context/index.ts";
import type { Diagnostic } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { activePathAt, contextAt, contextEntriesAt, contextStateAt } from "../session/context-reading.ts";
import { children, entriesFrom, type SessionTreeNode, treeOf } from "../session/queries.ts";
import type { Leaf } from "../tree/session-tree.ts";
import { structureOf } from "../tree/structure.ts";
import type { OpenSession } from "./open-session.ts";
import type { Home, PlacedSession } from "./placing.ts";

/** What a manager holds at the moment; it may go to another session. */
export interface Held {
  home: Home;
  placed: PlacedSession;
}

/** What reading takes of it. */
export interface Readable {
  readonly home: Pick<Home, "cwd" | "directory">;
  readonly placed: {
    readonly session: Pick<OpenSession, "state" | "read"> & { readonly cursor: { readonly leaf: Leaf } };
    readonly file?: string;
  };
}

/** Tokens and US dollars over all branches. `cost` is the known part, null if no price is known. */
export interface UsageStatistics {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: number | null;
}

/**
 * The reads of a `SessionManager`, and nothing else, at run time too. Entries are frozen; arrays and nodes are the
 * caller's.
 */
export class ReadonlySessionManager {
  readonly #held: Readable;

  constructor(held: Readable) {
    this.#held = held;
  }

  getCwd(): string {
    return this.#held.home.cwd;
  }

  /** Where new sessions are stored; empty in memory. */
  getSessionDir(): string {
    return this.#held.home.directory ?? "";
  }

  getSessionId(): string {
    return this.#state.header.id;
  }

  /** The path the session has, or will have from its first message on; undefined in memory. */
  getSessionFile(): string | undefined {
    return this.#held.placed.file;
  }

  isPersisted(): boolean {
    return this.getSessionFile() !== undefined;
  }

  getHeader(): SessionHeader {
    return this.#state.header;
  }

  getSessionName(): string | undefined {
    return this.#state.tree.name;
  }

  /** Where the next entry is attached; null before any. */
  getLeafId(): Leaf {
    return this.#session.cursor.leaf;
  }

  getLeafEntry(): SessionTreeEntry | undefined {
    const leaf = this.getLeafId();
    return leaf === null ? undefined : this.getEntry(leaf);
  }

  getEntry(id: string): SessionTreeEntry | undefined {
    return this.#session.read(this.#state.entry(id));
  }

  /** All entries of all branches in file order, marks included. */
  getEntries(): SessionTreeEntry[] {
    return [...this.#session.read(entriesFrom(this.#state, {}, all))];
  }

  getEntryCount(): number {
    return this.#state.tree.size;
  }

  /** Entries that name `id` as their parent (null: roots) in file order; none for unknown ids. */
  getChildren(id: Leaf): SessionTreeEntry[] {
    return [...this.#session.read(children(this.#state, id, all))];
  }

  /** The path to an entry, by default to the leaf; root first, empty for unknown ids. */
  getBranch(fromId: Leaf = this.getLeafId()): SessionTreeEntry[] {
    return [...this.#session.read(this.#state.path(fromId))];
  }

  /** The end of that path, as far as any context there depends on it. */
  getActivePath(fromId: Leaf = this.getLeafId()): SessionTreeEntry[] {
    return [...this.#session.read(activePathAt(this.#state, fromId))];
  }

  /** Every entry exactly once, children in file order. Orphans and members of cycles are roots. */
  getTree(): SessionTreeNode[] {
    return this.#session.read(treeOf(this.#state, all));
  }

  getLabel(id: string): string | undefined {
    return this.#state.tree.labelOf(id);
  }

  getUsageStatistics(): UsageStatistics {
    const { tokens, costTotal } = this.#session.read(this.#state.statistics());
    const { total, ...counts } = tokens;
    return { ...counts, totalTokens: total, cost: costTotal };
  }

  /** What the model is sent at the leaf. */
  buildSessionContext(options: SessionContextBuildOptions = {}): SessionContext {
    return this.#session.read(contextAt(this.#state, this.getLeafId(), options)).context;
  }

  /** The entries that a context at the leaf is made of, in its order. */
  buildContextEntries(options: SessionContextBuildOptions = {}): SessionTreeEntry[] {
    return [...this.#session.read(contextEntriesAt(this.#state, this.getLeafId(), options))];
  }

  /** Names of the rules injected on the path to the leaf, each once. */
  getInjectedTtsrRules(): string[] {
    return [...this.#session.read(contextStateAt(this.#state, this.getLeafId())).injectedRules];
  }

  /**
   * What is wrong with the stored records and with how they hang together. What only a path shows (`unknown_first_kept`,
   * `state_mismatch`, `missing_blob`) `Session.check` reports as well.
   */
  getDiagnostics(): Diagnostic[] {
    const tree = this.#session.read(this.#state.provenTree());
    return [...this.#state.diagnostics, ...tree.diagnostics, ...structureOf(tree).diagnostics];
  }

  get #session() {
    return this.#held.placed.session;
  }

  get #state() {
    return this.#session.state;
  }
}

function all(): boolean {
  return true;
}
