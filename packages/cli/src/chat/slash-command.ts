import type { RunOutcome } from "@bough/harness";
import type { Chat } from "./chat.ts";

/** What follows from a command, beside what it printed. */
export interface CommandOutcome {
  /** Put into the user's line, to be changed and sent. */
  readonly draft?: string;
  /** How the run ended that it made. */
  readonly ran?: RunOutcome;
  readonly ends?: true;
}

/** Something the user can do in a conversation by typing `/name`. */
export interface SlashCommand {
  readonly name: string;
  /** As help shows them: `<required>`, `[optional]`. */
  readonly arguments: string;
  readonly summary: string;
  /** Where nothing was said yet there is nothing for it to do. */
  readonly needsSession?: true;
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands only do something
  run(chat: Chat, argument: string): Promise<CommandOutcome | void>;
}

/** The name and the rest of a line that is a command; a path such as `/etc/hosts` is none. */
export function parsedCommand(line: string): { readonly name: string; readonly argument: string } | undefined {
  const [, name, argument = ""] = /^\/([a-z][\w:-]*)(?:\s+(.*))?$/is.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: argument.trim() };
}
