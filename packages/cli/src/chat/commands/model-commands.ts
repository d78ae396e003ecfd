import { getSupportedThinkingLevels } from "@earendil-works/pi-ai";
import { plainLine } from "bough/outline";
import { UsageError } from "../../usage-error.ts";
import type { Chat } from "../chat.ts";
import { nameOf } from "../model-choice.ts";
import { requireKey } from "../model-summarizer.ts";
import type { SlashCommand } from "../slash-command.ts";

export const modelCommands: readonly SlashCommand[] = [
  {
    name: "model",
    arguments: "[provider/id]",
    summary: "choose another model; with part of a name list those that fit",
    run: model,
  },
  { name: "thinking", arguments: "[level]", summary: "choose how much the model thinks", run: thinking },
  {
    name: "compact",
    arguments: "[instructions]",
    summary: "summarise the start of the context; going above it undoes it",
    run: async (chat, instructions) => {
      const harness = await chat.idle();
      await harness.compact({ ...(instructions !== "" && { instructions }), signal: chat.cli.signal });
    },
  },
];

async function model(chat: Chat, name: string): Promise<void> {
  const { stdout } = chat.cli;
  if (name === "") {
    await stdout.line(nameOf(chat.model));
    for (const other of await chat.choice.similar("")) await stdout.line(`  ${other}`);
    return;
  }
  try {
    const chosen = await chat.choice.find(name);
    await requireKey(chat.choice.models, chosen);
    await (await chat.idle()).setModel(chosen);
  } catch (error) {
    const similar = error instanceof UsageError ? await chat.choice.similar(name) : [];
    if (similar.length === 0) throw error;
    for (const other of similar) await stdout.line(`  ${other}`);
    return;
  }
  await stdout.line(nameOf(chat.model));
}

async function thinking(chat: Chat, level: string): Promise<void> {
  const levels: readonly string[] = getSupportedThinkingLevels(chat.model);
  if (level !== "" && !levels.includes(level)) {
    throw new UsageError(`the model has no thinking level ${plainLine(level)}`, `It has ${levels.join(", ")}.`);
  }
  if (level === "" && chat.isEmpty) return await chat.cli.stdout.line(levels.join(", "));
  const harness = await chat.idle();
  if (level !== "") await harness.setThinkingLevel(level);
  const others = levels.length > 1 ? ` (${levels.join(", ")})` : "";
  await chat.cli.stdout.line(`${harness.thinkingLevel}${others}`);
}
