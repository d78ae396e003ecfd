import { existsSync } from "node:fs";
import { AgentHarness, type HarnessEvent, type HarnessTool, type RunOutcome } from "@bough/harness";
import type { Api, Model } from "@earendil-works/pi-ai";
import { extractiveSummarizer, type Session, type SessionRepo, type ThinkingLevel } from "bough";
import type { Cli } from "../cli.ts";
import { demoProvider } from "./demo-model.ts";
import type { ModelChoice } from "./model-choice.ts";
import { systemPrompt } from "./system-prompt.ts";

export interface ChatParts {
  /** `stdout` is where commands print. */
  readonly cli: Cli;
  readonly repo: SessionRepo;
  readonly choice: ModelChoice;
  /** For sessions that say none. */
  readonly model: Model<Api>;
  /** For a session whose files are in `cwd`. */
  readonly tools: (cwd: string) => readonly HarnessTool[];
  readonly hear: (event: HarnessEvent) => Promise<void>;
  /** Hears of each session that is taken up. */
  readonly entered: (harness: AgentHarness) => Promise<void>;
}

/** What is in force for the first session, whatever it says itself. */
export interface Wishes {
  readonly model?: Model<Api> | undefined;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

/** A conversation that goes from session to session, with a harness on one at a time. */
export class Chat {
  readonly cli: Cli;
  readonly repo: SessionRepo;
  readonly choice: ModelChoice;
  readonly #parts: ChatParts;
  #open: () => Promise<AgentHarness>;
  #harness: Promise<AgentHarness> | undefined;
  #model: Model<Api>;

  /** `begin` gives the first session, when there is something to store or to show. */
  constructor(parts: ChatParts, begin: () => Promise<Session>, wishes: Wishes) {
    this.cli = parts.cli;
    this.repo = parts.repo;
    this.choice = parts.choice;
    this.#parts = parts;
    this.#model = parts.model;
    this.#open = async () => await this.#enter(await begin(), wishes);
  }

  async harness(): Promise<AgentHarness> {
    this.#harness ??= this.#open();
    try {
      return await this.#harness;
    } catch (error) {
      this.#harness = undefined;
      throw error;
    }
  }

  /** The harness if something is under way. */
  async running(): Promise<AgentHarness | undefined> {
    const harness = await this.#harness?.catch(() => undefined);
    return harness?.isIdle === false ? harness : undefined;
  }

  async session(): Promise<Session> {
    return (await this.harness()).session;
  }

  /** Says something, or (undefined) goes on where the model has something to answer. */
  async say(text: string | undefined): Promise<RunOutcome> {
    const harness = await this.harness();
    const { signal } = this.cli;
    return text === undefined
      ? await harness.continue({ retryParked: true, signal })
      : await harness.prompt(text, { signal });
  }

  /** Leaves this session for another; if that can't be taken up, this one goes on. */
  async switchTo(session: Session): Promise<AgentHarness> {
    const before = await this.#harness;
    if (before?.session.id === session.id) return before;
    const harness = await this.#enter(session, {});
    await before?.close();
    this.#harness = Promise.resolve(harness);
    return harness;
  }

  async close(): Promise<void> {
    await (await this.#harness?.catch(() => undefined))?.close();
  }

  async #enter(session: Session, wishes: Wishes): Promise<AgentHarness> {
    const { choice, tools, hear, entered } = this.#parts;
    const said = await choice.of(session);
    const model = wishes.model ?? (said ? undefined : this.#model);
    const cwd = existsSync(session.header.cwd) ? session.header.cwd : this.cli.cwd;
    const harness = await AgentHarness.open({
      session,
      models: choice.models,
      tools: tools(cwd),
      systemPrompt: systemPrompt(cwd),
      // One after the other: what a call finds is what the one before it left, and questions don't pile up.
      toolExecution: "sequential",
      doing: "bough chat",
      ...(model && { model }),
      ...(wishes.thinkingLevel !== undefined && { thinkingLevel: wishes.thinkingLevel }),
      ...(this.#model.provider === demoProvider && { summarizer: extractiveSummarizer }),
    });
    this.#model = harness.model ?? this.#model;
    harness.on("model_update", () => {
      this.#model = harness.model ?? this.#model;
    });
    harness.subscribe(hear);
    await entered(harness);
    return harness;
  }
}
