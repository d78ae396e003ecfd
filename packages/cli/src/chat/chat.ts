import {
  type AgentHarness,
  type ExtensionFailure,
  ExtensionHost,
  type ExtensionUI,
  type HarnessEvent,
  type HarnessOptions,
  type HarnessTool,
  type NamedExtension,
  type RunOutcome,
} from "@bough/harness";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { Session, SessionRepo, ThinkingLevel } from "bough";
import type { Cli } from "../cli.ts";
import { findSession } from "../session-argument.ts";
import type { ModelChoice } from "./model-choice.ts";
import { summarizerOf } from "./model-summarizer.ts";
import { systemPrompt } from "./system-prompt.ts";
import { workFolder } from "./work-folder.ts";

export interface ChatParts {
  /** `stdout` is where commands print. */
  readonly cli: Cli;
  readonly repo: SessionRepo;
  readonly choice: ModelChoice;
  /** For sessions that say none. */
  readonly model: Model<Api>;
  /** For a session whose files are in `cwd`. */
  readonly tools: (cwd: string) => readonly HarnessTool[];
  readonly extensions: readonly NamedExtension[];
  readonly reservedCommands: readonly string[];
  readonly ui: ExtensionUI | undefined;
  readonly hear: (event: HarnessEvent) => Promise<void>;
  /** Hears of each session that is taken up. */
  readonly entered: (chat: Chat, harness: AgentHarness) => Promise<void>;
  readonly failed: (failure: ExtensionFailure) => void;
}

/** What is in force for the first session, whatever it says itself. */
export interface Wishes {
  readonly model?: Model<Api> | undefined;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

/** A conversation that goes from session to session, with extensions. It begins when there is something to do. */
export class Chat {
  readonly cli: Cli;
  readonly repo: SessionRepo;
  readonly choice: ModelChoice;
  readonly #parts: ChatParts;
  #first: Session | undefined;
  #host: Promise<ExtensionHost> | undefined;
  #wishes: Wishes;
  #model: Model<Api>;
  /** Whose failure is told to whoever typed it. */
  #command: string | undefined;

  /** Without a first session a new one is made, when there is something to store. */
  constructor(parts: ChatParts, first: Session | undefined, wishes: Wishes) {
    this.cli = parts.cli;
    this.repo = parts.repo;
    this.choice = parts.choice;
    this.#parts = parts;
    this.#first = first;
    this.#wishes = wishes;
    this.#model = parts.model;
  }

  get hasBegun(): boolean {
    return this.#host !== undefined;
  }

  /** Whether there is no session yet, so that there is nothing to look at. */
  get isEmpty(): boolean {
    return !this.hasBegun && this.#first === undefined;
  }

  /** Takes a session up as the first one. If it can't be, the first one is what it was. */
  async beginIn(first: Session): Promise<void> {
    const before = this.#first;
    this.#first = first;
    try {
      await this.host();
    } catch (error) {
      this.#first = before;
      throw error;
    }
  }

  /** The first session is a new one, made when there is something to store. */
  beginAnew(): void {
    this.#first = undefined;
  }

  /** The model that answers next. */
  get model(): Model<Api> {
    return this.#model;
  }

  async host(): Promise<ExtensionHost> {
    this.#host ??= this.#open();
    try {
      return await this.#host;
    } catch (error) {
      this.#host = undefined;
      throw error;
    }
  }

  /** Takes the first session up at once if it is there already. */
  async greet(): Promise<void> {
    if (this.#first) await this.host();
  }

  async harness(): Promise<AgentHarness> {
    return (await this.host()).harness;
  }

  async session(): Promise<Session> {
    return (await this.host()).session;
  }

  /** The harness when nothing is under way. */
  async idle(): Promise<AgentHarness> {
    const harness = await this.harness();
    await harness.waitForIdle();
    return harness;
  }

  /** The harness if something is under way. */
  async running(): Promise<AgentHarness | undefined> {
    const host = await this.#host?.catch(() => undefined);
    return host?.harness.isIdle === false ? host.harness : undefined;
  }

  /** Says something, or (undefined) goes on where the model has something to answer. */
  async say(text: string | undefined): Promise<RunOutcome> {
    const harness = await this.idle();
    const { signal } = this.cli;
    if (text !== undefined) return await harness.prompt(text, { signal });
    return await harness.continue({ retryParked: true, signal });
  }

  /** Runs a command of an extension; false if there is none. Rejects with `hook` if it fails. */
  async runCommand(name: string, args: string): Promise<boolean> {
    const host = await this.host();
    this.#command = `command:${name}`;
    const outcome = await host.runCommand(name, args);
    this.#command = undefined;
    // It may have made the model speak, in whichever session is at work by now.
    await host.harness.waitForIdle();
    if (outcome.status === "failed") throw outcome.failure.error;
    return outcome.status === "done";
  }

  async close(): Promise<void> {
    await (await this.#host?.catch(() => undefined))?.close();
  }

  async #open(): Promise<ExtensionHost> {
    const { cli, repo } = this;
    const { extensions, reservedCommands, ui, hear } = this.#parts;
    const host: ExtensionHost = await ExtensionHost.open({
      session: this.#first ?? (await repo.create({ cwd: cli.cwd })),
      sessions: {
        create: async (options) => await repo.create(options),
        open: async (name) => await repo.open(await findSession(cli, repo, name)),
      },
      harness: async (session) => await this.#harnessFor(session),
      ...{ extensions, reservedCommands, onFailure: (failure) => this.#failed(failure), ...(ui && { ui }) },
    });
    this.#wishes = {};
    this.#model = host.harness.model ?? this.#model;
    host.subscribe(async (event) => {
      if (event.type === "model_update") this.#model = host.harness.model ?? this.#model;
      if (event.type === "session_start") await this.#entered(host.harness);
      await hear(event);
    });
    await this.#parts.entered(this, host.harness);
    return host;
  }

  async #harnessFor(session: Session): Promise<Omit<HarnessOptions, "session">> {
    const { choice, tools } = this.#parts;
    const { model: wanted, thinkingLevel } = this.#wishes;
    const model = wanted ?? ((await choice.of(session)) ? undefined : this.#model);
    const folder = workFolder(session, this.cli);
    return {
      models: choice.models,
      tools: tools(folder),
      systemPrompt: systemPrompt(folder),
      summarizer: (request, signal) => summarizerOf(choice.models, this.#model)(request, signal),
      // One after the other: what a call finds is what the one before it left, and questions don't pile up.
      toolExecution: "sequential",
      doing: "bough chat",
      ...(model && { model }),
      ...(thinkingLevel !== undefined && { thinkingLevel }),
    };
  }

  async #entered(harness: AgentHarness): Promise<void> {
    this.#model = harness.model ?? this.#model;
    await this.#parts.entered(this, harness);
  }

  #failed(failure: ExtensionFailure): void {
    if (failure.during !== this.#command) this.#parts.failed(failure);
  }
}
