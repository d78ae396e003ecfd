import { plainLine } from "bough/outline";
import { exportSession } from "../../commands/export.ts";
import { drawListing } from "../../list-drawing.ts";
import { findSession } from "../../session-argument.ts";
import { UsageError } from "../../usage-error.ts";
import type { Chat } from "../chat.ts";
import { nameOf } from "../model-choice.ts";
import { sayIfRefused } from "../refusal.ts";
import type { SlashCommand } from "../slash-command.ts";

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: "session",
    arguments: "",
    summary: "say which session this is, and what it holds",
    needsSession: true,
    run: describe,
  },
  {
    name: "export",
    arguments: "[markdown|jsonl|julia] [file]",
    summary: "write the session to a file in another form",
    needsSession: true,
    run: exportTo,
  },
  {
    name: "resume",
    arguments: "[session]",
    summary: "go on in another session; without one list those there are",
    run: resume,
  },
  {
    name: "new",
    arguments: "",
    summary: "begin a new session",
    run: async (chat) => {
      if (chat.hasBegun) await sayIfRefused(chat, await (await chat.host()).newSession());
      else chat.beginAnew();
    },
  },
];

async function describe(chat: Chat): Promise<void> {
  const { stdout } = chat.cli;
  const harness = await chat.harness();
  const { session } = harness;
  const { messageCount, totalTokens, costTotal } = await session.getSessionStats();
  const usage = await harness.getContextUsage();
  const facts = {
    id: session.id,
    file: session.storage.ref.location,
    name: await session.getSessionName(),
    model: `${nameOf(chat.model)}, thinking ${harness.thinkingLevel}`,
    messages: messageCount,
    tokens: `${totalTokens.toLocaleString("en-US")}${costTotal ? `, $${costTotal.toFixed(2)}` : ""}`,
    context: usage && `${usage.tokens?.toLocaleString("en-US")} tokens`,
  };
  for (const [name, fact] of Object.entries(facts)) {
    if (fact === undefined || fact === null) continue;
    await stdout.line(`${stdout.paint("dim", name.padEnd(9))} ${plainLine(String(fact), 1000)}`);
  }
}

const forms = ["markdown", "jsonl", "julia"];

async function exportTo(chat: Chat, argument: string): Promise<void> {
  const [form = "markdown", ...file] = argument === "" ? [] : argument.split(/\s+/);
  if (!forms.includes(form))
    throw new UsageError(`there is no form ${plainLine(form)}`, `There are ${forms.join(", ")}.`);
  const { id, storage } = await chat.session();
  const out = file.join(" ");
  await exportSession(chat.cli, [storage.ref.location ?? id], { [form]: true, ...(out !== "" && { out }) });
}

const listed = 15;

async function resume(chat: Chat, argument: string): Promise<void> {
  const { cli, repo } = chat;
  if (argument !== "") {
    await switchTo(chat, argument);
    return;
  }
  for (const info of await repo.list({ cwd: cli.cwd, limit: listed, signal: cli.signal })) {
    await cli.stdout.line(drawListing(info, cli.stdout, { withProject: false }));
  }
  await cli.stdout.line("/resume SESSION goes on in one of them.");
}

async function switchTo(chat: Chat, argument: string): Promise<void> {
  const { cli, repo } = chat;
  const found = await findSession(cli, repo, argument);
  const { id, location } = typeof found === "string" ? await repo.store.resolve(found) : found;
  if (!chat.hasBegun) {
    return await chat.beginIn(await repo.open(found));
  }
  const host = await chat.host();
  if (host.session.id !== id) await sayIfRefused(chat, await host.switchSession(location ?? id));
}
