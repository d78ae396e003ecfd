import { loadExtensions } from "@bough/harness";
import type { Session, SessionRepo } from "bough";
import { Chat } from "../chat/chat.ts";
import type { Manner, OpenChat } from "../chat/manner.ts";
import { ModelChoice, type ModelOptions } from "../chat/model-choice.ts";
import { requireKey } from "../chat/model-summarizer.ts";
import { slashCommands } from "../chat/slash-commands.ts";
import { printAnswer, talkOnPipe } from "../chat/talk-on-pipe.ts";
import { talkOnTerminal } from "../chat/talk-on-terminal.ts";
import { explainModels } from "../chat/welcome-screen.ts";
import type { Cli } from "../cli.ts";
import { boughHome, withRepo } from "../repo.ts";
import { findSession } from "../session-argument.ts";
import { ToolGate } from "../tools/tool-gate.ts";
import { type PolicyOptions, policiesOf } from "../tools/tool-policies.ts";
import { toolSet } from "../tools/tool-set.ts";
import { UsageError } from "../usage-error.ts";

export interface ChatOptions extends ModelOptions, PolicyOptions {
  readonly continue?: true;
  readonly session?: string;
  readonly print?: string;
  readonly json?: true;
  readonly extensions: boolean;
}

/** A conversation in lines: on a terminal, over a pipe, or one question and its answer. */
export async function chat(cli: Cli, _: readonly string[], options: ChatOptions): Promise<number | undefined> {
  if (options.continue && options.session !== undefined) {
    throw new UsageError("--continue is the newest session, so none can be named");
  }
  const policies = policiesOf(options);
  const choice = new ModelChoice(cli, options);
  return await withRepo(cli, {}, async (repo) => {
    const existing = await existingSession(cli, repo, options);
    const asked = await choice.asked();
    const model = asked ?? (existing && (await choice.of(existing))) ?? (await choice.usual());
    if (!model) {
      await explainModels(cli, choice);
      return 1;
    }
    await requireKey(choice.models, model);
    const open: OpenChat = async (manner) => {
      const gate = new ToolGate({ policies, ask: manner.ask });
      const parts = {
        ...{ cli: manner.cli, repo, choice, model, hear: manner.hear, entered: manner.entered, ui: manner.ui },
        tools: (cwd: string) => toolSet(cwd).map((tool) => gate.guarded(tool, cwd)),
        extensions: options.extensions ? await extensionsFor(manner) : [],
        reservedCommands: slashCommands.map(({ name }) => name),
        failed: ({ error }: Failure) => void manner.warn(error.message),
      };
      return new Chat(parts, existing, { model: asked, thinkingLevel: options.thinking });
    };
    if (options.print !== undefined) return await printAnswer(cli, open, await textOf(cli, options.print), options);
    return isTerminal(cli) && !options.json ? await talkOnTerminal(cli, open) : await talkOnPipe(cli, open, options);
  });
}

type Failure = Awaited<ReturnType<typeof loadExtensions>>["failures"][number];

async function existingSession(cli: Cli, repo: SessionRepo, options: ChatOptions): Promise<Session | undefined> {
  const name = options.continue ? "@" : options.session;
  return name === undefined ? undefined : await repo.open(await findSession(cli, repo, name));
}

/** What runs in a conversation besides; what can't or mustn't is said. */
async function extensionsFor({ cli, askTrust, warn }: Manner) {
  const home = boughHome(cli);
  const found = await loadExtensions({ cwd: cli.cwd, home, ...(askTrust && { askTrust }) });
  for (const { error } of found.failures) await warn(error.message);
  for (const path of found.untrusted) await warn(`${path} is left alone: this folder is not trusted`);
  return found.extensions;
}

/** `-` is standard input. */
async function textOf({ stdin }: Cli, print: string): Promise<string> {
  let text = print === "-" ? "" : print;
  if (print === "-") for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
  if (text.trim() === "")
    throw new UsageError("there is nothing to say", "--print takes a text, or - for standard input.");
  return text;
}

function isTerminal({ stdin, stdout }: Cli): boolean {
  return (stdin as NodeJS.ReadStream).isTTY === true && stdout.isTerminal;
}
