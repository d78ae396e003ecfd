import type { Chat } from "./chat.ts";
import { modelCommands } from "./commands/model-commands.ts";
import { sessionCommands } from "./commands/session-commands.ts";
import { treeCommands } from "./commands/tree-commands.ts";
import type { SlashCommand } from "./slash-command.ts";

const talkCommands: readonly SlashCommand[] = [
  {
    name: "continue",
    arguments: "",
    summary: "let the model go on without saying anything, as after a crash",
    run: async (chat) => void (await chat.say(undefined)),
  },
  { name: "exit", arguments: "", summary: "end the conversation, as Ctrl-D does", run: async () => ({ ends: true }) },
];

/** What can be typed in a conversation, with what extensions add to it. */
export function slashCommands(added: readonly SlashCommand[] = []): readonly SlashCommand[] {
  const commands: readonly SlashCommand[] = [
    ...treeCommands,
    ...modelCommands,
    ...sessionCommands,
    ...talkCommands,
    { name: "help", arguments: "", summary: "say what can be typed", run: (chat) => help(chat, commands) },
    ...added,
  ];
  return commands;
}

async function help({ cli: { stdout } }: Chat, commands: readonly SlashCommand[]): Promise<void> {
  const usages = commands.map(({ name, arguments: args }) => `/${name} ${args}`.trim());
  const cells = Math.max(...usages.map(({ length }) => length)) + 2;
  for (const [index, { summary }] of commands.entries()) {
    await stdout.line(`${(usages[index] as string).padEnd(cells)}${stdout.paint("dim", summary)}`);
  }
  await stdout.line(
    "\nWhat is typed while the model works is said to it after its turn. Ctrl-C stops it, Ctrl-D ends the conversation.\n" +
      "A line that ends in \\ goes on in the next one.",
  );
}
