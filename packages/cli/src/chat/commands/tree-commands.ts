import type { Session } from "bough";
import { describeEntry, plainLine } from "bough/outline";
import { showTree } from "../../commands/tree.ts";
import { findEntry, leadingPlace } from "../../entry-argument.ts";
import { shortId } from "../../shown-name.ts";
import type { Chat } from "../chat.ts";
import { sayIfRefused } from "../refusal.ts";
import type { CommandOutcome, SlashCommand } from "../slash-command.ts";

export const treeCommands: readonly SlashCommand[] = [
  {
    name: "tree",
    arguments: "[entry] [summarize]",
    summary: "draw the session; with an entry go there, with `summarize` take a summary of what is left along",
    needsSession: true,
    run: tree,
  },
  {
    name: "branch",
    arguments: "",
    summary: "go on in a new session with what was said up to here",
    needsSession: true,
    run: async (chat) => await sayIfRefused(chat, await (await chat.host()).branch()),
  },
  {
    name: "fork",
    arguments: "[entry]",
    summary: "go on in a new session from before something you said, to say it otherwise",
    needsSession: true,
    run: fork,
  },
  {
    name: "clone",
    arguments: "",
    summary: "go on in a copy of the whole tree",
    needsSession: true,
    run: async (chat) => await sayIfRefused(chat, await (await chat.host()).clone()),
  },
  {
    name: "label",
    arguments: "[text]",
    summary: "label this place, to return to it as @LABEL; without a text the label goes",
    needsSession: true,
    run: label,
  },
  { name: "name", arguments: "[text]", summary: "name the session; without a text the name goes", run: name },
];

async function tree(chat: Chat, argument: string): Promise<CommandOutcome | undefined> {
  if (argument === "") {
    await showTree(chat.cli, await chat.session(), {});
    return undefined;
  }
  const harness = await chat.idle();
  const { id, rest } = await leadingPlace(harness.session, argument);
  const [, summarize, instructions = ""] = /^(summari[sz]e\b)?\s*(.*)$/is.exec(rest) ?? [];
  const { signal } = chat.cli;
  const outcome = await harness.navigateTree(id, {
    ...{ summarize: summarize !== undefined, signal },
    ...(instructions !== "" && { customInstructions: instructions }),
  });
  if (outcome.cancelled) {
    await chat.cli.stdout.line("The conversation stays where it was.");
    return undefined;
  }
  const { summaryEntry, editorText } = outcome;
  if (summaryEntry) await chat.cli.stdout.line(`What was left is summarised in ${shortId(summaryEntry.id)}.`);
  await sayWhere(chat, harness.session);
  // A note's text is an application's, not something the user would say again.
  const isOwn = (await harness.session.getEntry(id))?.type === "message";
  return isOwn && editorText !== undefined ? { draft: editorText } : undefined;
}

async function fork(chat: Chat, argument: string): Promise<CommandOutcome | undefined> {
  const session = await chat.session();
  if (argument === "") {
    for (const entry of await session.getBranch()) {
      if (entry.type !== "message" || entry.message.role !== "user") continue;
      await chat.cli.stdout.line(`${shortId(entry.id)}  ${describeEntry(entry, { limit: 60 })}`);
    }
    await chat.cli.stdout.line("/fork ENTRY goes on from before one of them.");
    return undefined;
  }
  const host = await chat.host();
  const { cancelled, editorText } = await host.fork(await findEntry(session, argument));
  await sayIfRefused(chat, { cancelled });
  return editorText === undefined ? undefined : { draft: editorText };
}

async function label(chat: Chat, text: string): Promise<void> {
  const harness = await chat.harness();
  const { leafId } = harness.session;
  if (leafId === null) return await chat.cli.stdout.line("There is nothing to label yet.");
  await harness.appendLabel(leafId, text);
  await chat.cli.stdout.line(`${shortId(leafId)} ${text === "" ? "has no label" : `is @${plainLine(text)}`}`);
}

async function name(chat: Chat, text: string): Promise<void> {
  await (await chat.session()).appendSessionName(text);
  await chat.cli.stdout.line(text === "" ? "The session has no name." : `The session is called ${plainLine(text)}.`);
}

async function sayWhere(chat: Chat, session: Session): Promise<void> {
  const leaf = await session.getLeafEntry();
  await chat.cli.stdout.line(
    leaf ? `at ${shortId(leaf.id)}  ${describeEntry(leaf, { limit: 60 })}` : "before the first entry",
  );
}
