import { AgentHarnessError } from "bough";
import type { AgentHarness } from "../harness.ts";
import type { Handler } from "../hooks/hooks.ts";
import type { HarnessTool } from "../tools.ts";
import type { ExtensionCommand, NamedExtension } from "./extension.ts";
import type { ExtensionContext, ExtensionUI } from "./extension-context.ts";
import type { ExtensionTool } from "./extension-tool.ts";
import { isHandlerName } from "./handler-names.ts";
import { apiOf, type Registrar } from "./make-api.ts";
import { contextOf } from "./make-context.ts";
import type { MessageRenderer } from "./message-renderer.ts";
import { noRegistrations, type RegisteredHandler, type Registrations } from "./registrations.ts";
import type { SessionBinding } from "./session-binding.ts";
import { withinTime } from "./within-time.ts";

/** What names are taken, and how extensions speak to the user. */
export interface Surroundings {
  readonly binding: SessionBinding;
  readonly ui: ExtensionUI | undefined;
  readonly isReservedCommand: (name: string) => boolean;
  readonly isTakenTool: (name: string) => boolean;
  /** Takes a tool into an open session. */
  readonly addTool: (extension: string, tool: HarnessTool) => void;
}

/** One extension at work on one session. */
export class ExtensionRun implements Registrar {
  readonly extension: string;
  readonly binding: SessionBinding;
  readonly ctx: ExtensionContext;
  readonly registrations: Registrations;
  readonly #surroundings: Surroundings;

  /** Runs the extension's function. Rejects with what it throws, and when it takes longer than `timeout`. */
  static async start(named: NamedExtension, surroundings: Surroundings, timeout: number): Promise<ExtensionRun> {
    const run = new ExtensionRun(named.name, surroundings);
    await withinTime(
      run.binding.runAs(named.name, async () => await named.extension(apiOf(run))),
      timeout,
    );
    return run;
  }

  private constructor(extension: string, surroundings: Surroundings) {
    this.extension = extension;
    this.binding = surroundings.binding;
    this.ctx = contextOf(extension, this.binding, surroundings.ui);
    this.registrations = noRegistrations(extension);
    this.#surroundings = surroundings;
  }

  get tools(): readonly HarnessTool[] {
    return this.registrations.tools.map((tool) => this.#harnessTool(tool));
  }

  /** Lets the handlers registered so far take part. */
  attach(harness: AgentHarness): void {
    for (const registered of this.registrations.handlers) this.#attach(harness, registered);
  }

  on(name: RegisteredHandler["name"], handler: RegisteredHandler["handler"]): () => void {
    this.binding.requireCurrent();
    if (!isHandlerName(name)) this.#refuse(name, "there is no hook or event of that name");
    const { handlers } = this.registrations;
    const registered: RegisteredHandler = { name, handler };
    if (!this.binding.isOpening) this.#attach(this.binding.harness, registered);
    handlers.push(registered);
    return () => {
      handlers.splice(handlers.indexOf(registered), 1);
      registered.detach?.();
    };
  }

  registerCommand(name: string, command: ExtensionCommand): void {
    this.binding.requireCurrent();
    if (this.#surroundings.isReservedCommand(name))
      this.#refuse(`command:${name}`, "the application has a command of that name");
    else this.registrations.commands.push({ name, command });
  }

  registerTool(tool: ExtensionTool): void {
    const { name } = tool;
    this.binding.requireCurrent();
    const { isTakenTool, addTool } = this.#surroundings;
    if (isTakenTool(name)) this.#refuse(`tool:${name}`, "there is a tool of that name");
    else {
      this.registrations.tools.push(tool);
      if (!this.binding.isOpening) addTool(this.extension, this.#harnessTool(tool));
    }
  }

  registerMessageRenderer(customType: string, renderer: MessageRenderer): void {
    this.binding.requireCurrent();
    this.registrations.renderers.push({ customType, renderer });
  }

  #attach(harness: AgentHarness, registered: RegisteredHandler): void {
    const { name, handler } = registered;
    const handle = (event: object) =>
      this.binding.runAs(this.extension, async () => await handler(event as never, this.ctx));
    registered.detach = harness.on(name, handle as Handler<typeof name>, { source: this.extension });
  }

  #harnessTool(tool: ExtensionTool): HarnessTool {
    return {
      ...tool,
      execute: (id, params, signal, onUpdate, call) =>
        this.binding.runAs(
          this.extension,
          async () => await tool.execute(id, params, signal, onUpdate, this.ctx, call),
        ),
    };
  }

  #refuse(what: string, reason: string): void {
    this.binding.report(this.extension, what, new AgentHarnessError("invalid_state", reason, { reason }));
  }
}
