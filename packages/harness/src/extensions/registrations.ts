import type { HarnessEventName } from "../hooks/events.ts";
import type { HookName } from "../hooks/hook-table.ts";
import type { ExtensionCommand, ExtensionHandler } from "./extension.ts";
import type { ExtensionTool } from "./extension-tool.ts";
import type { MessageRenderer } from "./message-renderer.ts";

type Name = HookName | HarnessEventName;

export interface RegisteredHandler {
  readonly name: Name;
  readonly handler: ExtensionHandler<Name>;
  /** Ends it, once it takes part. */
  detach?: () => void;
}

/** What one extension has registered, in its order. */
export interface Registrations {
  readonly extension: string;
  readonly handlers: RegisteredHandler[];
  readonly commands: { readonly name: string; readonly command: ExtensionCommand }[];
  readonly tools: ExtensionTool[];
  readonly renderers: { readonly customType: string; readonly renderer: MessageRenderer }[];
}

export function noRegistrations(extension: string): Registrations {
  return { extension, handlers: [], commands: [], tools: [], renderers: [] };
}

/** A command under the name it can be called by. */
export interface NamedCommand {
  readonly name: string;
  readonly extension: string;
  readonly command: ExtensionCommand;
}

/** All commands in their order: the first of a name has it, the next ones are `name:2`, `name:3`. */
export function commandsOf(all: readonly Registrations[]): readonly NamedCommand[] {
  const taken = new Set<string>();
  return all.flatMap(({ extension, commands }) =>
    commands.map(({ name, command }) => {
      let free = name;
      for (let next = 2; taken.has(free); next++) free = `${name}:${next}`;
      taken.add(free);
      return { name: free, extension, command };
    }),
  );
}
