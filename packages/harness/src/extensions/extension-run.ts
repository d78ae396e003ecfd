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

  constructor(extension: string, binding: SessionBinding, surroundings: Surroundings) {
    this.extension = extension;
    this.binding = binding;
    this.ctx = contextOf(extension, this.binding, surroundings.ui);
    this.registrations = noRegistrations(extension);
    this.#surroundings = surroundings;
  }

  /** Runs the extension's function. If that throws, or takes longer than `timeout`, nothing of it counts, nor ever will. */
  async start({ extension }: NamedExtension, timeout: number): Promise<void> {
    const work = async () => await extension(apiOf(this));
    try {
      await withinTime(this.binding.runAs(this.extension, work), timeout);
    } catch (error) {
      this.binding.end("failed");
      throw error;
    }
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
    if (typeof handler !== "function") throw new TypeError(`a handler of ${name} is a function`);
    const { handlers } = this.registrations;
    const registered: RegisteredHandler = { name, handler };
    if (!this.binding.isOpening) this.#attach(this.binding.harness, registered);
    handlers.push(registered);
    return () => {
      if (handlers.includes(registered)) handlers.splice(handlers.indexOf(registered), 1);
      registered.detach?.();
    };
  }

  registerCommand(name: string, command: ExtensionCommand): void {
    this.binding.requireCurrent();
    if (typeof name !== "string" || typeof command?.handler !== "function") {
      throw new TypeError("a command has a name and a handler");
    }
    const isReserved = this.#surroundings.isReservedCommand(name);
    if (isReserved) this.#refuse(`command:${name}`, "the application has a command of that name");
    else this.registrations.commands.push({ name, command });
  }

  registerTool(tool: ExtensionTool): void {
    this.binding.requireCurrent();
    if (typeof tool?.name !== "string" || typeof tool.execute !== "function" || typeof tool.parameters !== "object") {
      throw new TypeError("a tool has a name, parameters and a function that executes it");
    }
    const { isTakenTool, addTool } = this.#surroundings;
    const { tools } = this.registrations;
    const { name } = tool;
    if (isTakenTool(name) || tools.some((own) => own.name === name)) {
      this.#refuse(`tool:${name}`, "there is a tool of that name");
      return;
    }
    tools.push(tool);
    if (!this.binding.isOpening) addTool(this.extension, this.#harnessTool(tool));
  }

  registerMessageRenderer(customType: string, renderer: MessageRenderer): void {
    this.binding.requireCurrent();
    if (typeof renderer !== "function") throw new TypeError(`a renderer of ${customType} is a function`);
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
