import type { Api, Model, Models } from "@earendil-works/pi-ai";
import {
  AgentHarnessError,
  type AgentMessage,
  type CompactionEntry,
  type ContextUsage,
  type EntryDraft,
  getContextUsage,
  type Keep,
  type Session,
  type ThinkingLevel,
} from "bough";
import type { Phase } from "./activity.ts";
import { type Assembled, assembleParts } from "./assemble-parts.ts";
import { compactSession } from "./compaction.ts";
import { becomeDriver, type Driver } from "./driver.ts";
import type { HarnessEventName } from "./hooks/events.ts";
import type { HookName } from "./hooks/hook-table.ts";
import type { EventListener, Handler, HandlerOptions, Hooks } from "./hooks/hooks.ts";
import { draftOf, type HarnessInput } from "./input.ts";
import { type NavigateOptions, type NavigateOutcome, navigateTree } from "./navigation.ts";
import type { QueueName } from "./operations/operation.ts";
import type { Recovery } from "./operations/recover.ts";
import type { HarnessOptions } from "./options.ts";
import type { HarnessParts } from "./parts.ts";
import { answerQueued, type RunOutcome, runContinue, runPrompt } from "./run.ts";
import { modelRef } from "./settings.ts";
import { tellStored } from "./stored-item.ts";
import type { HarnessTool } from "./tools.ts";

export interface ContinueOptions {
  /** Takes up a run that was tried too often, with a fresh number of attempts. */
  readonly retryParked?: boolean;
  readonly signal?: AbortSignal;
}

export interface CompactOptions {
  /** What the summary is to say besides. */
  readonly instructions?: string;
  /** What stays word for word; the policy's unless given. */
  readonly keep?: Keep;
  readonly signal?: AbortSignal;
}

/**
 * Runs an agent on a session. What is said, answered and done is stored before anybody hears of it. One operation at a
 * time: `prompt`, `continue` reject with `busy` while another is under way.
 */
export class AgentHarness implements AsyncDisposable {
  readonly session: Session;
  readonly models: Models;
  /** For those who have hooks to ask and events to send themselves, such as a host of extensions. */
  readonly hooks: Hooks;
  /** What was found open when this harness took the session up. */
  readonly recovered: Recovery;
  readonly #parts: HarnessParts;
  readonly #driver: Driver;

  /**
   * Takes the session's lease, and closes what a process that died left open: calls that were not started, that are run
   * again because they are safe, whose tool knows what became of them, or whose outcome nobody knows. Rejects with
   * `busy` and the holder. Writes nothing to a session that is in order.
   */
  static async open(options: HarnessOptions): Promise<AgentHarness> {
    const driver = await becomeDriver(options.session, options.doing ?? "running an agent");
    try {
      return new AgentHarness(await assembleParts(options), driver);
    } catch (error) {
      driver.release();
      throw error;
    }
  }

  private constructor({ parts, recovered }: Assembled, driver: Driver) {
    this.session = parts.session;
    this.models = parts.models;
    this.hooks = parts.hooks;
    this.recovered = recovered;
    this.#parts = parts;
    this.#driver = driver;
  }

  get phase(): Phase {
    return this.#parts.activity.phase;
  }

  get isIdle(): boolean {
    return this.phase === "idle";
  }

  /** Of the operation under way. */
  get signal(): AbortSignal | undefined {
    return this.#parts.activity.signal;
  }

  /** Undefined if neither the caller nor the session named one that `models` has. */
  get model(): Model<Api> | undefined {
    return this.#parts.settings.values.model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#parts.settings.values.thinkingLevel;
  }

  get tools(): readonly HarnessTool[] {
    return this.#parts.settings.values.tools;
  }

  get activeToolNames(): readonly string[] {
    return this.#parts.settings.values.activeToolNames;
  }

  /** What waits to be said, oldest first. */
  queued(queue: QueueName): readonly AgentMessage[] {
    return this.#parts.inbox.messages(queue);
  }

  get hasPendingMessages(): boolean {
    return this.#parts.inbox.has("steer", "followUp", "nextTurn");
  }

  /**
   * Says something and runs until the model has nothing more to do. Rejects with `busy`, `invalid_state` without a
   * model, `auth` without a key, and with what storing rejects with; a model or a tool that fails is in the outcome.
   */
  async prompt(input: HarnessInput, options: { readonly signal?: AbortSignal } = {}): Promise<RunOutcome> {
    return await this.#operate("turn", (signal) => runPrompt(this.#parts, input, signal), options.signal);
  }

  /**
   * Runs from the leaf on, without saying anything; takes up a run that was interrupted there. Rejects as `prompt`, and
   * with `invalid_state` if nothing waits for an answer, or for a run that is parked unless told to try it again.
   */
  async continue(options: ContinueOptions = {}): Promise<RunOutcome> {
    if (this.#parts.journal.isParked && !options.retryParked) throw invalid("the run here ended its process too often");
    return await this.#operate("turn", (signal) => runContinue(this.#parts, signal), options.signal);
  }

  /** Says something after the current turn. Resolves with the message's id once it can't be lost; `invalid_state` when idle. */
  async steer(input: HarnessInput): Promise<string> {
    this.#requireRun("steer");
    return await this.#parts.inbox.add("steer", draftOf(input, Date.now()));
  }

  /** Says something when the run would end, and lets it go on. As `steer`. */
  async followUp(input: HarnessInput): Promise<string> {
    this.#requireRun("follow up");
    return await this.#parts.inbox.add("followUp", draftOf(input, Date.now()));
  }

  /** Says something right before the next prompt. As `steer`, at any time. */
  async nextTurn(input: HarnessInput): Promise<string> {
    this.#parts.activity.requireOpen();
    return await this.#parts.inbox.add("nextTurn", draftOf(input, Date.now()));
  }

  async setModel(model: Model<Api>): Promise<void> {
    const { activity, settings } = this.#parts;
    await activity.beside(() => settings.setModel(model));
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    const { activity, settings } = this.#parts;
    await activity.beside(() => settings.setThinkingLevel(level));
  }

  /** The active tools stay active as far as they exist, unless `activeToolNames` says otherwise. */
  async setTools(tools: readonly HarnessTool[], activeToolNames?: readonly string[]): Promise<void> {
    const { activity, settings } = this.#parts;
    const kept = settings.wanted.activeToolNames.filter((name) => tools.some((tool) => tool.name === name));
    await activity.beside(() => settings.setTools(tools, activeToolNames ?? kept));
  }

  async setActiveTools(names: readonly string[]): Promise<void> {
    await this.setTools(this.#parts.settings.wanted.tools, names);
  }

  /**
   * Stores a message, or a note, without asking the model. Resolves with its id: stored when idle, else to be stored
   * at the end of the turn, so that nothing comes between a call and its result.
   */
  async appendMessage(input: HarnessInput): Promise<string> {
    return await this.#append(draftOf(input, Date.now()));
  }

  /**
   * Summarises the start of the context. Rejects with `nothing_to_compact`, with `compaction` if the summary is unfit
   * or a hook refused, with `leaf_moved`, `busy`, or the reason of the abort; then nothing has changed. What was queued
   * meanwhile is answered before this settles.
   */
  async compact(options: CompactOptions = {}): Promise<CompactionEntry> {
    const { signal: outer, ...wishes } = options;
    return await this.#operate(
      "compaction",
      async (signal) => {
        try {
          return await compactSession(this.#parts, { ...wishes, reason: "manual", signal });
        } finally {
          await answerQueued(this.#parts, signal);
        }
      },
      outer,
    );
  }

  /** Goes to another entry of the tree (see `navigateTree`). Rejects with `busy` besides. */
  async navigateTree(targetId: string, options: NavigateOptions = {}): Promise<NavigateOutcome> {
    const work = (signal: AbortSignal) => navigateTree(this.#parts, targetId, options, signal);
    return await this.#operate("branch_summary", work, options.signal);
  }

  /** How full the model's window is, as its provider counted; null where that isn't known, as after a compaction. */
  async getContextUsage(): Promise<ContextUsage | null> {
    const { contextBuildOptions: context } = this.session;
    const { model } = this;
    const path = await this.session.getActivePath();
    return getContextUsage(path, { model: modelRef(model), context, contextWindow: model?.contextWindow });
  }

  /** Labels an entry of any branch, at once. */
  async appendLabel(targetId: string, label?: string): Promise<string> {
    const id = await this.#parts.activity.beside(() => this.session.appendLabel(targetId, label));
    const entry = await this.session.getEntry(id);
    if (entry) await this.#parts.hooks.emit({ type: "entry_appended", entry });
    return id;
  }

  /**
   * Ends what is under way and drops what waits for it; what waits for the next prompt stays. Resolves when idle. Once
   * closed it drops nothing: what waits is another harness's to say.
   */
  async abort(): Promise<{ readonly steer: readonly AgentMessage[]; readonly followUp: readonly AgentMessage[] }> {
    const { activity, inbox, hooks } = this.#parts;
    const [steer, followUp] = [inbox.messages("steer"), inbox.messages("followUp")];
    activity.abort();
    if (activity.isClosed) {
      await activity.waitForIdle();
      return { steer: [], followUp: [] };
    }
    await activity.beside(() => inbox.clear("steer", "followUp"));
    await activity.waitForIdle();
    await hooks.emit({ type: "abort", clearedSteer: steer, clearedFollowUp: followUp });
    return { steer, followUp };
  }

  async waitForIdle(): Promise<void> {
    await this.#parts.activity.waitForIdle();
  }

  /** Hears every event, in order. What it returns is waited for. */
  subscribe(listener: EventListener, options?: HandlerOptions): () => void {
    return this.#parts.hooks.subscribe(listener, options);
  }

  /** Takes part in a hook, or hears one event. Returns what ends that. */
  on<K extends HookName | HarnessEventName>(name: K, handler: Handler<K>, options?: HandlerOptions): () => void {
    return this.#parts.hooks.on(name, handler, options);
  }

  /** Ends what is under way and gives the lease back. Idempotent. */
  async close(): Promise<void> {
    await this.#parts.activity.close();
    await this.#parts.inbox.stored();
    this.#driver.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #operate<T>(phase: Phase, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { activity, hooks, inbox, settings } = this.#parts;
    activity.requireIdle();
    try {
      return await activity.run(phase, (inner) => this.#settled(work, inner), signal);
    } finally {
      // What handlers asked for when the operation had looked for the last time.
      await settings.settle();
      await hooks.emit({ type: "settled", nextTurnCount: inbox.messages("nextTurn").length });
    }
  }

  /** What was asked for during an operation is stored before it counts as over, so that whoever closes waits for it. */
  async #settled<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work(signal);
    } finally {
      await this.#parts.settings.settle();
    }
  }

  #requireRun(what: string): void {
    this.#parts.activity.requireOpen();
    if (!this.isIdle) return;
    throw invalid(`there is no run to ${what}`);
  }

  async #append(draft: EntryDraft): Promise<string> {
    const { activity, settings } = this.#parts;
    return await activity.beside(async () => {
      const item = { kind: "child", draft, id: await this.session.storage.createEntryId() } as const;
      const tell = async () => void (await tellStored(this.hooks, [item]));
      await settings.change({ items: [item], tell });
      return item.id;
    });
  }
}

function invalid(reason: string): AgentHarnessError<"invalid_state"> {
  return new AgentHarnessError("invalid_state", reason, { reason });
}
