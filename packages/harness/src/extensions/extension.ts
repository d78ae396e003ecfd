import type { Api, Model } from "@earendil-works/pi-ai";
import type { ThinkingLevel, UserContent } from "bough";
import type { HarnessEventName } from "../hooks/events.ts";
import type { HookName } from "../hooks/hook-table.ts";
import type { Handler } from "../hooks/hooks.ts";
import type { NoteInput } from "../input.ts";
import type { ExtensionCommandContext, ExtensionContext } from "./extension-context.ts";
import type { ExtensionTool } from "./extension-tool.ts";
import type { MessageRenderer } from "./message-renderer.ts";

/** What an extension's module exports by default. It runs anew for every session, and registers what it has. */
export type Extension = (api: ExtensionAPI) => void | Promise<void>;

/** A module that was loaded, or an extension of the application itself. */
export interface NamedExtension {
  /** Whose handlers, commands and failures they are: the file's path, as a rule. */
  readonly name: string;
  readonly extension: Extension;
}

/** Takes part in a hook or hears an event, as `Handler` says, and is told where. */
export type ExtensionHandler<K extends HookName | HarnessEventName> = (
  event: Parameters<Handler<K>>[0],
  ctx: ExtensionContext,
) => ReturnType<Handler<K>>;

export interface ExtensionCommand {
  readonly description?: string;
  /** What it returns is ignored. It may take as long as it likes. */
  readonly handler: (args: string, ctx: ExtensionCommandContext) => unknown;
  /** What may follow the name, given what was typed of it. */
  readonly getArgumentCompletions?: (prefix: string) => readonly string[] | Promise<readonly string[]>;
}

export interface SendMessageOptions {
  /** Whether the model is to answer. Unless given: not when idle, and in a run yes. */
  readonly triggerTurn?: boolean;
  /** `steer` unless given. `nextTurn` waits for the next prompt whatever `triggerTurn` says. */
  readonly deliverAs?: "steer" | "followUp" | "nextTurn";
}

/**
 * What an extension can do. Registering works from the start, everything else once the session is open; after the session
 * was replaced all of it is `invalid_state`. Promises may be left alone: what fails is reported too.
 */
export interface ExtensionAPI {
  /** In the order of loading, then of registration. Returns what ends it. */
  on<K extends HookName | HarnessEventName>(name: K, handler: ExtensionHandler<K>): () => void;
  /** The first of a name has it, later ones are `name:2`, `name:3`; the application's own are refused. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Active from now on, but for what is there when a session is opened that chose its tools. A taken name is refused. */
  registerTool(tool: ExtensionTool): void;
  /** How notes of a type look; the first extension that has a renderer is asked. */
  registerMessageRenderer(customType: string, renderer: MessageRenderer): void;

  /**
   * Says something that the model sees and that is marked as an application's, exactly once. `nextTurn`: with the next
   * prompt. In a run: as steering or follow-up, or, with `triggerTurn: false`, behind the turn's tool results. Idle:
   * stored, and answered if `triggerTurn`. Resolves when the message can't be lost or its run has begun; what waits for
   * the end of a turn can be lost with the process until then.
   */
  sendMessage(message: NoteInput, options?: SendMessageOptions): Promise<void>;
  /** Says something as the user, which is always answered. In a run `deliverAs` has to say when, else `invalid_state`. */
  sendUserMessage(content: UserContent, options?: { readonly deliverAs?: "steer" | "followUp" }): Promise<void>;
  /** Keeps data on the path that the model never sees. Resolves with the id it has or will have at the end of the turn. */
  appendEntry(customType: string, data?: unknown): Promise<string>;
  /** Labels an entry of any branch; without a label takes it away. */
  setLabel(entryId: string, label?: string): Promise<void>;
  setSessionName(name: string): Promise<void>;
  getSessionName(): string | undefined;

  getActiveTools(): readonly string[];
  getAllTools(): readonly { readonly name: string; readonly description: string }[];
  setActiveTools(names: readonly string[]): Promise<void>;
  setModel(model: Model<Api>): Promise<void>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): Promise<void>;
}
