import type { Api, Model, Models } from "@earendil-works/pi-ai";
import type { CompactionEntry, ContextUsage, Session, ThinkingLevel } from "bough";
import type { ReadonlySessionManager } from "bough/session-manager";
import type { NavigateOptions, NavigateOutcome } from "../navigation.ts";

/** The reads of a session, as functions of a frozen object. */
export type SessionReads = Readonly<Pick<ReadonlySessionManager, keyof ReadonlySessionManager>>;

/** What may be looked up of providers and models. Models are frozen copies. */
export type ModelRegistry = Readonly<
  Pick<Models, "getModels" | "getModel" | "getAvailable"> & {
    getProviders(): readonly { readonly id: string; readonly name: string }[];
    /** Whether there is a key for the model's provider. */
    hasAuth(model: Model<Api>): Promise<boolean>;
  }
>;

/** How an extension speaks to whoever sits there. */
export interface ExtensionUI {
  notify(text: string, level?: "info" | "warning" | "error"): void;
  /** Puts text where the user types, unless something stands there. */
  setEditorText(text: string): void;
}

export interface CompactRequest {
  readonly customInstructions?: string;
  readonly onComplete?: (entry: CompactionEntry) => void;
  /** Failures are reported unless given. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Where an extension is: reads are of the moment, and nothing it gets from here can be changed. After the session was
 * replaced all of it throws `invalid_state`.
 */
export interface ExtensionContext {
  readonly cwd: string;
  readonly sessionManager: SessionReads;
  readonly modelRegistry: ModelRegistry;
  readonly model: Model<Api> | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** Of what is under way. */
  readonly signal: AbortSignal | undefined;
  /** Whether somebody sees what `ui` is told. */
  readonly hasUI: boolean;
  readonly ui: ExtensionUI;
  /** How full the model's window is, as its provider counted; null where nobody knows, as after a compaction. */
  getContextUsage(): ContextUsage | null;
  /** Compacts as soon as nothing is under way; not waited for. */
  compact(request?: string | CompactRequest): void;
  isIdle(): boolean;
  /** Ends what is under way; not waited for. */
  abort(): void;
  hasPendingMessages(): boolean;
}

export interface ReplacementOptions {
  /** Goes on in the session that took the place of this one; the old context is of no use any more. */
  readonly withSession?: (ctx: ExtensionCommandContext) => unknown;
}

export interface NewSessionOptions extends ReplacementOptions {
  /** Path of the session this one continues. */
  readonly parentSession?: string;
  /** Fills the session before anybody works on it. */
  readonly setup?: (session: Session) => unknown;
}

export interface ForkSessionOptions extends ReplacementOptions {
  /** `before`, unless given: without the user's message, whose text comes back. */
  readonly position?: "before" | "at";
}

export interface Replaced {
  /** Whether an extension refused; then nothing has changed. */
  readonly cancelled: boolean;
}

export interface Forked extends Replaced {
  /** The words that the fork ends before, for editing. */
  readonly editorText?: string;
}

/** What only commands get, for in a handler it would wait for itself. */
export interface ExtensionCommandContext extends ExtensionContext {
  /** Resolves when nothing is under way and nothing that was queued in the run waits. */
  waitForIdle(): Promise<void>;
  /** Each of these ends what is under way, and leaves this session for another; the old one stays as it is. */
  newSession(options?: NewSessionOptions): Promise<Replaced>;
  fork(entryId: string, options?: ForkSessionOptions): Promise<Forked>;
  /** A session of the path to an entry, by default to the leaf. */
  branch(entryId?: string, options?: ReplacementOptions): Promise<Replaced>;
  /** By path, or whatever else names a session. */
  switchSession(session: string, options?: ReplacementOptions): Promise<Replaced>;
  /** Moves within the session, as the harness does. */
  navigateTree(targetId: string, options?: NavigateOptions): Promise<NavigateOutcome>;
}
