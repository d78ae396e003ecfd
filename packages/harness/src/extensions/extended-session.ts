import type { Session } from "bough";
import { AgentHarness } from "../harness.ts";
import type { HarnessOptions } from "../options.ts";
import type { HarnessTool } from "../tools.ts";
import type { NamedExtension } from "./extension.ts";
import type { ExtensionUI } from "./extension-context.ts";
import { type FailureLog, failureOf } from "./extension-failure.ts";
import { ExtensionRun } from "./extension-run.ts";
import { commandsOf, type NamedCommand } from "./registrations.ts";
import { type Ending, SessionBinding } from "./session-binding.ts";

type SessionlessOptions = Omit<HarnessOptions, "session">;

/** What the harness of every session is opened with, or what that of one is. */
export type HarnessChoice =
  | SessionlessOptions
  | ((session: Session) => SessionlessOptions | Promise<SessionlessOptions>);

/** What stays the same from session to session. */
export interface ExtensionSetting {
  readonly harness: HarnessChoice;
  readonly extensions: readonly NamedExtension[];
  readonly reservedCommands: readonly string[];
  readonly ui: ExtensionUI | undefined;
  /** Milliseconds an extension's function has. */
  readonly loadTimeout: number;
  readonly failures: FailureLog;
}

/** A session with a harness, and every extension started anew for it. */
export class ExtendedSession {
  readonly session: Session;
  readonly #setting: ExtensionSetting;
  /** The application's own way to the session. */
  readonly binding: SessionBinding;
  /** The application's. */
  readonly #ownTools: readonly HarnessTool[];
  #runs: readonly ExtensionRun[] = [];
  #added: readonly HarnessTool[] = [];

  /** An extension that can't be started is reported and left out. Rejects as `AgentHarness.open`. */
  static async open(session: Session, setting: ExtensionSetting): Promise<ExtendedSession> {
    const options = typeof setting.harness === "function" ? await setting.harness(session) : setting.harness;
    const { tools = [] } = options;
    const extended = new ExtendedSession(session, setting, tools);
    try {
      for (const named of setting.extensions) await extended.#start(named);
      const allTools = [...tools, ...extended.#tools];
      extended.#begin(await AgentHarness.open({ ...options, session, tools: allTools }));
      return extended;
    } catch (error) {
      extended.end("failed");
      throw error;
    }
  }

  private constructor(session: Session, setting: ExtensionSetting, tools: readonly HarnessTool[]) {
    this.session = session;
    this.#setting = setting;
    this.binding = new SessionBinding(session, setting.failures);
    this.#ownTools = tools;
  }

  get harness(): AgentHarness {
    return this.binding.harness;
  }

  /** Whether it is this session that somebody is tied to. */
  owns(binding: SessionBinding): boolean {
    return this.#bindings.includes(binding);
  }

  /** Resolves when what extensions asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#bindings.map((binding) => binding.settled()));
  }

  /** From now on nobody reaches the session from here. */
  end(why: Ending): void {
    for (const binding of this.#bindings) binding.end(why);
  }

  get commands(): readonly NamedCommand[] {
    return commandsOf(this.#runs.map(({ registrations }) => registrations));
  }

  find(command: string): NamedCommand | undefined {
    return this.commands.find(({ name }) => name === command);
  }

  runOf(extension: string): ExtensionRun | undefined {
    return this.#runs.find((run) => run.extension === extension);
  }

  /** Who draws notes of a type: the first extension that has a renderer for it. */
  rendererOf(customType: string) {
    for (const { extension, registrations } of this.#runs) {
      const found = registrations.renderers.find((own) => own.customType === customType);
      if (found) return { extension, renderer: found.renderer };
    }
    return undefined;
  }

  get #tools(): readonly HarnessTool[] {
    return this.#runs.flatMap((run) => run.tools);
  }

  get #bindings(): readonly SessionBinding[] {
    return [this.binding, ...this.#runs.map((run) => run.binding)];
  }

  async #start(named: NamedExtension): Promise<void> {
    const { failures, reservedCommands, ui, loadTimeout } = this.#setting;
    const run = new ExtensionRun(named.name, new SessionBinding(this.session, failures), {
      ui,
      isReservedCommand: (name) => reservedCommands.includes(name),
      isTakenTool: (name) => [...this.#ownTools, ...this.#tools].some((tool) => tool.name === name),
      addTool: (extension, tool) => this.#add(extension, tool),
    });
    try {
      await run.start(named, loadTimeout);
      this.#runs = [...this.#runs, run];
    } catch (error) {
      failures.report(failureOf(named.name, "load", error));
    }
  }

  #begin(harness: AgentHarness): void {
    harness.on("hook_error", ({ hook, source, error }) => {
      this.#setting.failures.report({ extension: source ?? "application", during: hook, error });
    });
    for (const binding of this.#bindings) binding.open(harness);
    for (const run of this.#runs) run.attach(harness);
  }

  #add(extension: string, tool: HarnessTool): void {
    this.#added = [...this.#added, tool];
    void this.binding.act(extension, `tool:${tool.name}`, async (harness) => {
      // Of several that are added in one turn each brings those before it along.
      const added = this.#added.filter(({ name }) => !harness.tools.some((known) => known.name === name));
      const names = added.map(({ name }) => name);
      await harness.setTools([...harness.tools, ...added], [...harness.activeToolNames, ...names]);
    });
  }
}
