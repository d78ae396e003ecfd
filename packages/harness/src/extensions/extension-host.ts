import type { Session } from "bough";
import type { AgentHarness } from "../harness.ts";
import type { HarnessEventOf, SessionStartReason } from "../hooks/events.ts";
import type { EventListener } from "../hooks/hooks.ts";
import { copyOf } from "../snapshot.ts";
import { ExtendedSession, type ExtensionSetting, type HarnessChoice } from "./extended-session.ts";
import type { NamedExtension } from "./extension.ts";
import type {
  ExtensionCommandContext,
  ExtensionUI,
  Forked,
  ForkSessionOptions,
  NewSessionOptions,
  Replaced,
} from "./extension-context.ts";
import { type ExtensionFailure, type FailureListener, FailureLog, failureOf } from "./extension-failure.ts";
import { commandContextOf } from "./make-context.ts";
import {
  linesOf,
  type MessageTheme,
  plainTheme,
  type RenderedMessage,
  type RenderedNote,
  type RenderOptions,
} from "./message-renderer.ts";
import { type ReplacementReason, Replacements, type SessionSource } from "./replacements.ts";
import { invalid, type SessionBinding } from "./session-binding.ts";
import { guardProcess } from "./stray-failures.ts";
import { withinTime } from "./within-time.ts";

export interface ExtensionHostOptions {
  /** The first session. It stays the caller's, as with `AgentHarness.open`; sessions that take its place are the host's. */
  readonly session: Session;
  readonly harness: HarnessChoice;
  /** In the order in which they are asked. */
  readonly extensions: readonly NamedExtension[];
  /** Where new sessions are made and others are found; without one only forks can take a session's place. */
  readonly sessions?: SessionSource;
  /** Names that extensions can't have for their commands. */
  readonly reservedCommands?: readonly string[];
  /** Nobody sits there unless given. */
  readonly ui?: ExtensionUI;
  /** What `session_start` is told first: `startup` unless given. */
  readonly reason?: SessionStartReason;
  /** Hears what extensions do wrong, from the start. */
  readonly onFailure?: FailureListener;
  /** Milliseconds that an extension's function may take; 10,000 unless given. */
  readonly loadTimeout?: number;
  /** Milliseconds that all handlers of `session_shutdown` have together; 2,000 unless given. */
  readonly shutdownTimeout?: number;
}

export type CommandOutcome =
  | { readonly status: "done" }
  | { readonly status: "failed"; readonly failure: ExtensionFailure }
  | { readonly status: "unknown" };

export interface CommandInfo {
  readonly name: string;
  readonly description?: string;
  readonly extension: string;
}

const completionTimeout = 2_000;

/**
 * Extensions at work on a session, and on those that take its place. There is one harness at a time; which one may change
 * with every command, so ask `harness` anew. What an extension does wrong is told to `onFailure` and changes nothing else;
 * while a host is open that includes what extensions leave uncaught in timers and promises.
 */
export class ExtensionHost implements AsyncDisposable {
  readonly #setting: ExtensionSetting;
  readonly #shutdownTimeout: number;
  readonly #replacements: Replacements;
  /** Each with what ends it in the session at work. */
  readonly #listeners = new Set<{ readonly listener: EventListener; off: () => void }>();
  readonly #endGuard: () => void;
  #current: ExtendedSession;
  /** Whether the session at work was opened by this host. */
  #isOwn = false;
  #isReplacing = false;

  /** Rejects as `AgentHarness.open`; extensions that can't be started are reported. */
  static async open(options: ExtensionHostOptions): Promise<ExtensionHost> {
    const { harness, extensions, reservedCommands = [], ui, loadTimeout = 10_000 } = options;
    const failures = new FailureLog();
    if (options.onFailure) failures.listen(options.onFailure);
    const setting = { harness, extensions, reservedCommands, ui, loadTimeout, failures };
    const endGuard = guardProcess();
    try {
      const session = await ExtendedSession.open(options.session, setting);
      const host = new ExtensionHost(options, setting, session, endGuard);
      await host.harness.hooks.emit({ type: "session_start", reason: options.reason ?? "startup" });
      return host;
    } catch (error) {
      endGuard();
      throw error;
    }
  }

  private constructor(
    options: ExtensionHostOptions,
    setting: ExtensionSetting,
    current: ExtendedSession,
    endGuard: () => void,
  ) {
    this.#endGuard = endGuard;
    this.#setting = setting;
    this.#shutdownTimeout = options.shutdownTimeout ?? 2_000;
    this.#current = current;
    this.#replacements = new Replacements(options.sessions, (...replacement) => this.#replace(...replacement));
  }

  /** Of the session at work. */
  get harness(): AgentHarness {
    return this.#current.harness;
  }

  get session(): Session {
    return this.harness.session;
  }

  get commands(): readonly CommandInfo[] {
    return this.#current.commands.map(({ name, extension, command: { description } }) => ({
      name,
      extension,
      ...(description !== undefined && { description }),
    }));
  }

  /** Hears the events of whichever session is at work. */
  subscribe(listener: EventListener): () => void {
    const listening = { listener, off: this.harness.subscribe(listener) };
    this.#listeners.add(listening);
    return () => {
      listening.off();
      this.#listeners.delete(listening);
    };
  }

  onFailure(listener: FailureListener): () => void {
    return this.#setting.failures.listen(listener);
  }

  /** Never rejects. The command may have put another session in the place of this one when it is done. */
  async runCommand(name: string, args = ""): Promise<CommandOutcome> {
    const found = this.#current.find(name);
    if (!found) return { status: "unknown" };
    const { command, extension } = found;
    try {
      this.#current.binding.requireCurrent();
      const ctx = this.#contextOf(extension);
      await this.#current.binding.runAs(extension, async () => await command.handler(args, ctx));
      return { status: "done" };
    } catch (error) {
      const failure = failureOf(extension, `command:${name}`, error);
      this.#setting.failures.report(failure);
      return { status: "failed", failure };
    }
  }

  /** What may follow the name of a command; nothing if its extension doesn't say, or fails. */
  async completionsOf(name: string, prefix: string): Promise<readonly string[]> {
    const found = this.#current.find(name);
    if (!found?.command.getArgumentCompletions) return [];
    try {
      const { extension, command } = found;
      const asked = this.#current.binding.runAs(extension, async () => await command.getArgumentCompletions?.(prefix));
      return [...((await withinTime(asked, completionTimeout)) ?? [])];
    } catch (error) {
      this.#setting.failures.report(failureOf(found.extension, `command:${name}`, error));
      return [];
    }
  }

  /** How a note looks, as the first extension that has a renderer for its type draws it. */
  renderMessage(message: RenderedMessage, options: RenderOptions, theme: MessageTheme = plainTheme): RenderedNote {
    if (!message.display) return { kind: "hidden" };
    const found = this.#current.rendererOf(message.customType);
    if (!found) return { kind: "default" };
    try {
      const draw = () => linesOf(found.renderer(copyOf(message), { ...options }, theme), options.width);
      const lines = this.#current.binding.runAs(found.extension, draw);
      return lines ? { kind: "lines", lines } : { kind: "default" };
    } catch (error) {
      this.#setting.failures.report(failureOf(found.extension, `renderer:${message.customType}`, error));
      return { kind: "default" };
    }
  }

  /** Each of these asks the extensions, ends what is under way, and leaves the session for another. */
  async newSession(options: Omit<NewSessionOptions, "withSession"> = {}): Promise<Replaced> {
    return await this.#replacements.newSession(this.#current.binding, options);
  }

  /** An open session is the host's from then on, unless this rejects or an extension refuses. */
  async switchSession(session: string | Session): Promise<Replaced> {
    return await this.#replacements.switchSession(this.#current.binding, session);
  }

  async fork(entryId: string, options: Omit<ForkSessionOptions, "withSession"> = {}): Promise<Forked> {
    return await this.#replacements.fork(this.#current.binding, entryId, options);
  }

  /** A session of the path to an entry, by default to the leaf. */
  async branch(entryId?: string): Promise<Replaced> {
    return await this.#replacements.branch(this.#current.binding, entryId);
  }

  /** A session with the whole tree. */
  async clone(): Promise<Replaced> {
    return await this.#replacements.clone(this.#current.binding);
  }

  /** Says goodbye to the extensions, ends what is under way and gives the lease back. Idempotent. */
  async close(): Promise<void> {
    await this.#leave(this.#current, { reason: "quit" });
    this.#endGuard();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The other session is open before this one is left, so that what fails leaves everything as it was. */
  async #replace(binding: SessionBinding, session: Session, reason: ReplacementReason): Promise<void> {
    const before = this.#current;
    if (!before.owns(binding)) throw invalid("the session was replaced");
    if (this.#isReplacing) throw invalid("the session is being replaced");
    this.#isReplacing = true;
    try {
      const next = await ExtendedSession.open(session, this.#setting);
      const previousSessionFile = this.session.storage.ref.location;
      const targetSessionFile = session.storage.ref.location;
      await this.#leave(before, { reason, ...(targetSessionFile !== undefined && { targetSessionFile }) });
      this.#current = next;
      this.#isOwn = true;
      for (const listening of this.#listeners) listening.off = next.harness.subscribe(listening.listener);
      await next.harness.hooks.emit({
        type: "session_start",
        reason,
        ...(previousSessionFile !== undefined && { previousSessionFile }),
      });
    } finally {
      this.#isReplacing = false;
    }
  }

  /** Whatever handlers do, the session is left, with everything stored that was asked for in time. */
  async #leave(extended: ExtendedSession, goodbye: Omit<HarnessEventOf<"session_shutdown">, "type">): Promise<void> {
    if (extended.binding.isEnded) return;
    const { hooks, session } = extended.harness;
    const said = hooks.emit({ type: "session_shutdown", ...goodbye });
    await this.#inTime("session_shutdown", said);
    await extended.harness.close();
    await this.#inTime("settle", extended.settled());
    extended.end(goodbye.reason === "quit" ? "closed" : "replaced");
    if (this.#isOwn) await session.close();
  }

  async #inTime(what: string, work: Promise<void>): Promise<void> {
    try {
      await withinTime(work, this.#shutdownTimeout);
    } catch (error) {
      this.#setting.failures.report(failureOf("extensions", what, error));
    }
  }

  /** Of an extension in the session at work. */
  #contextOf(extension: string): ExtensionCommandContext {
    const run = this.#current.runOf(extension);
    if (!run) throw invalid(`${extension} could not be started in this session`);
    return commandContextOf(run.ctx, run.binding, this.#replacements, () => this.#contextOf(extension));
  }
}
