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
    const text = await wholeInput(input, draft);
    if (text === undefined) return;
    draft = undefined;
    if (text.trim() === "") continue;
    try {
      const command = parsedCommand(text);
      if (!command) await ran(await chat.say(text));
      else {
        const outcome = await runCommand(chat, command);
        if (outcome.ends) return;
        ({ draft } = outcome);
      }
    } catch (error) {
      await failed(error);
    }
  }
}

/** Lines that end in a backslash go on. */
async function wholeInput(input: Input, draft: string | undefined): Promise<string | undefined> {
  const lines: string[] = [];
  while (true) {
    const line = await input.line(lines.length === 0 ? { draft } : { prompt: "  " });
    if (line === undefined) return lines.length === 0 ? undefined : lines.join("\n");
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}

async function runCommand(
  chat: Chat,
  { name, argument }: { readonly name: string; readonly argument: string },
): Promise<CommandOutcome> {
  const command = slashCommands.find((candidate) => candidate.name === name);
  if (command) return (await command.run(chat, argument)) ?? {};
  if (await chat.runCommand(name, argument)) return {};
  throw new UsageError(`there is no command /${plainLine(name)}`, "/help lists those there are.");
}
