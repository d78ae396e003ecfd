import type { RunOutcome } from "@bough/harness";
import { plainLine } from "bough/outline";
import { UsageError } from "../usage-error.ts";
import type { Chat } from "./chat.ts";
import type { Input } from "./input.ts";
import { type CommandOutcome, parsedCommand } from "./slash-command.ts";
import { slashCommands } from "./slash-commands.ts";

export interface ConverseOptions {
  readonly input: Input;
  /** What becomes of a failure; the conversation goes on if this does. */
  readonly failed: (error: unknown) => Promise<void>;
  /** Hears how each run ended. */
  readonly ran: (outcome: RunOutcome) => Promise<void>;
}

/** Takes what the user types line by line, until there is no more. */
export async function converse(chat: Chat, { input, failed, ran }: ConverseOptions): Promise<void> {
  let draft: string | undefined;
  while (true) {
    const text = await input.line({ draft });
    if (text === undefined) return;
    draft = undefined;
    if (text.trim() === "") continue;
    try {
      const outcome = await done(chat, text);
      if (outcome.ends) return;
      if (outcome.ran) await ran(outcome.ran);
      ({ draft } = outcome);
    } catch (error) {
      await failed(error);
      // A command can be typed again; what is to be said took thought.
      if (!parsedCommand(text)) draft = text;
    }
  }
}

async function done(chat: Chat, text: string): Promise<CommandOutcome> {
  const command = parsedCommand(text);
  return command ? await runCommand(chat, command) : { ran: await chat.say(text) };
}

async function runCommand(
  chat: Chat,
  { name, argument }: { readonly name: string; readonly argument: string },
): Promise<CommandOutcome> {
  const command = slashCommands.find((candidate) => candidate.name === name);
  if (command?.needsSession && chat.isEmpty) {
    await chat.cli.stdout.line("Nothing has been said yet.");
    return {};
  }
  if (command) return (await command.run(chat, argument)) ?? {};
  if (await chat.runCommand(name, argument)) return {};
  throw new UsageError(`there is no command /${plainLine(name)}`, "/help lists those there are.");
}
