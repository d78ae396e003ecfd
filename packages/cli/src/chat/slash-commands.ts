import { plainLine } from "bough/outline";
import { hanging } from "../hanging.ts";
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
    run: async (chat) => ({ ran: await chat.say(undefined) }),
  },
  { name: "exit", arguments: "", summary: "end the conversation, as Ctrl-D does", run: async () => ({ ends: true }) },
];

/** What can be typed in a conversation; extensions add to it. */
export const slashCommands: readonly SlashCommand[] = [
  ...treeCommands,
  ...modelCommands,
  ...sessionCommands,
  ...talkCommands,
  { name: "help", arguments: "", summary: "say what can be typed", run: help },
];

const closing = [
  "What is typed while the model works is said to it after its turn. Ctrl-C stops it, Ctrl-D ends the conversation.",
  "A line that ends in \\ goes on in the next one, until Ctrl-C drops the message.",
];

async function help(chat: Chat): Promise<void> {
  const { stdout } = chat.cli;
  const added = chat.hasBegun ? (await chat.host()).commands : [];
  const rows = [
    ...slashCommands.map(({ name, arguments: args, summary }) => [`/${name} ${args}`.trim(), summary] as const),
    ...added.map(({ name, description = "" }) => [`/${plainLine(name)}`, plainLine(description)] as const),
  ];
  const cells = Math.max(...rows.map(([usage]) => usage.length)) + 2;
  const lineLength = stdout.width;
  for (const [usage, summary] of rows) {
    await stdout.line(usage.padEnd(cells) + stdout.paint("dim", hanging(summary, { indent: cells, lineLength })));
  }
  await stdout.line();
  for (const line of closing) await stdout.line(hanging(line, { indent: 0, lineLength }));
}
