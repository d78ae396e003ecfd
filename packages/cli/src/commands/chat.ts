import type { AgentHarness, HarnessEvent, RunOutcome } from "@bough/harness";
import type { Session, SessionRepo } from "bough";
import { messageText, plainLine, plainText } from "bough/outline";
import { Chat, type ChatParts } from "../chat/chat.ts";
import { converse } from "../chat/converse.ts";
import { eventLine } from "../chat/event-line.ts";
import { type Input, PipeInput } from "../chat/input.ts";
import { LiveTranscript } from "../chat/live-transcript.ts";
import { ModelChoice, type ModelOptions } from "../chat/model-choice.ts";
import { requireKey } from "../chat/model-summarizer.ts";
import { permissionFrom } from "../chat/permission.ts";
import { slashCommands } from "../chat/slash-commands.ts";
import { TerminalInput } from "../chat/terminal-input.ts";
import { explainModels } from "../chat/welcome-screen.ts";
import type { Cli } from "../cli.ts";
import { report } from "../failure.ts";
import { withRepo } from "../repo.ts";
import { findSession } from "../session-argument.ts";
import { ToolGate, type ToolPolicy, toolPolicies } from "../tools/tool-gate.ts";
import { toolSet, usualPolicies } from "../tools/tool-set.ts";
import { shortId } from "../tree-drawing.ts";
import { UsageError } from "../usage-error.ts";

export interface ChatOptions extends ModelOptions {
  readonly continue?: true;
  readonly session?: string;
  readonly print?: string;
  readonly json?: true;
  readonly allow?: string;
  readonly ask?: string;
  readonly deny?: string;
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
    const wishes = { model: asked, thinkingLevel: options.thinking };
    const begin = async () => existing ?? (await repo.create({ cwd: cli.cwd }));
    const open = ({ ask, ...shown }: Manner) => {
      const gate = new ToolGate({ policies, ask });
      const tools = (cwd: string) => toolSet(cwd).map((tool) => gate.guarded(tool));
      return new Chat({ repo, choice, model, tools, ...shown }, begin, wishes);
    };
    if (options.print !== undefined) return await printAnswer(cli, open, options.print, options);
    if (isTerminal(cli) && !options.json) return await talkOnTerminal(cli, open);
    return await talkOnPipe(cli, open, options);
  });
}

/** How a conversation is shown, and whether somebody can be asked. */
type Manner = Pick<ChatParts, "cli" | "hear" | "entered"> & {
  readonly ask?: ConstructorParameters<typeof ToolGate>[0]["ask"];
};
type OpenChat = (manner: Manner) => Chat;

async function existingSession(cli: Cli, repo: SessionRepo, options: ChatOptions): Promise<Session | undefined> {
  const name = options.continue ? "@" : options.session;
  return name === undefined ? undefined : await repo.open(await findSession(cli, repo, name));
}

function isTerminal({ stdin, stdout }: Cli): boolean {
  return (stdin as NodeJS.ReadStream).isTTY === true && stdout.isTerminal;
}

async function printAnswer(cli: Cli, open: OpenChat, text: string, { json }: ChatOptions): Promise<number> {
  const chat = open(json ? mannerOfEvents(cli) : mannerOfNotes(cli));
  try {
    const outcome = await chat.say(text);
    if (!json && outcome.message) {
      const answer = plainText(messageText(outcome.message)).trimEnd();
      if (answer !== "") await cli.stdout.line(answer);
    }
    return await exitCodeOf(cli, outcome);
  } finally {
    await chat.close();
  }
}

async function talkOnPipe(cli: Cli, open: OpenChat, { json }: ChatOptions): Promise<number> {
  const chat = open(json ? mannerOfEvents(cli) : mannerOfNotes(cli, cli.stdout));
  const commands = slashCommands();
  let exitCode = 0;
  try {
    await converse(chat, {
      commands,
      input: interruptible(new PipeInput(cli.stdin), cli.signal),
      failed: async (error) => {
        throw error;
      },
      ran: async (outcome) => {
        exitCode = Math.max(exitCode, await exitCodeOf(cli, outcome));
      },
    });
    return exitCode;
  } finally {
    await chat.close();
  }
}

async function talkOnTerminal(cli: Cli, open: OpenChat): Promise<undefined> {
  const { stdout } = cli;
  const commands = slashCommands();
  const transcript = new LiveTranscript({ said: stdout, notes: stdout });
  const input = new TerminalInput({
    input: cli.stdin,
    output: stdout.stream,
    completions: commands.map(({ name }) => `/${name}`),
    onAside: (line) => void steer(line).catch(failed),
    onInterrupt: () => void interrupt().catch(failed),
  });
  const chat = open({
    cli,
    ask: permissionFrom(input, stdout),
    hear: (event) => transcript.hear(event),
    entered: (harness) => announce(transcript, harness),
  });
  const failed = async (error: unknown) => void (await report(error, cli));
  async function steer(line: string): Promise<void> {
    if (line.trim() === "") return;
    await (await chat.running())?.steer(line);
    await transcript.note("dim", "  (said after this turn)");
  }
  async function interrupt(): Promise<void> {
    const running = await chat.running();
    if (running) await running.abort();
    else if (!input.clear()) await stdout.write("\n(Ctrl-D ends the conversation)\n› ");
  }
  await stdout.line(stdout.paint("dim", "/help says what can be typed. Ctrl-C stops the model, Ctrl-D ends."));
  try {
    await converse(chat, {
      commands,
      input: interruptible(input, cli.signal),
      failed,
      ran: async (outcome) => {
        if (outcome.error) await failed(outcome.error);
        const line = await statusLine(await chat.harness());
        await stdout.line(stdout.paint("dim", line));
      },
    });
    await stdout.line();
    return undefined;
  } finally {
    input.close();
    await chat.close();
  }
}

/** Ends with the program. */
function interruptible(input: Input, signal: AbortSignal): Input {
  return { line: async (request) => await input.line({ signal, ...request }), close: () => input.close() };
}

function mannerOfEvents(cli: Cli): Manner {
  const hear = async (event: HarnessEvent) => await cli.stdout.line(eventLine(event));
  const entered = async ({ session }: AgentHarness) => {
    const { id, storage } = session;
    await cli.stdout.line(JSON.stringify({ type: "session", id, path: storage.ref.location }));
  };
  return { cli: { ...cli, stdout: cli.stderr }, hear, entered };
}

function mannerOfNotes(cli: Cli, said?: Cli["stdout"]): Manner {
  const transcript = new LiveTranscript({ said, notes: cli.stderr });
  return {
    cli,
    hear: (event) => transcript.hear(event),
    entered: (harness) => announce(transcript, harness),
  };
}

/** Which session this is, and what an earlier process left open in it. */
async function announce(transcript: LiveTranscript, { session, model, recovered }: AgentHarness): Promise<void> {
  const title = plainLine((await session.getSessionName()) ?? session.storage.ref.location ?? session.id, 300);
  await transcript.note("dim", `session ${shortId(session.id)}  ${title}`);
  if (model) await transcript.note("dim", `model   ${plainLine(`${model.provider}/${model.id}`)}`);
  for (const { toolName, outcome } of recovered.calls) {
    await transcript.note("yellow", `● ${plainLine(toolName)}, when the program ended: ${outcomes[outcome]}`);
  }
  if (recovered.status === "clean") return;
  await transcript.note("yellow", "● the last run was interrupted; /continue takes it up");
}

const outcomes = {
  not_started: "not started",
  rerun: "run again",
  probed: "found out what became of it",
  unknown: "nobody knows whether it took effect",
} as const;

async function statusLine(harness: AgentHarness): Promise<string> {
  const usage = await harness.getContextUsage();
  const { costTotal } = await harness.session.getSessionStats();
  const model = harness.model ? plainLine(`${harness.model.provider}/${harness.model.id}`) : "";
  const tokens = usage?.tokens == null ? "" : ` · ${usage.tokens.toLocaleString("en-US")} tokens`;
  const share = usage?.percent == null ? "" : ` (${Math.round(usage.percent)} %)`;
  return `${model}${tokens}${share}${costTotal ? ` · $${costTotal.toFixed(2)}` : ""}`;
}

async function exitCodeOf(cli: Cli, { status, error }: RunOutcome): Promise<number> {
  if (error) await report(error, cli);
  return status === "answered" ? 0 : status === "aborted" ? 130 : 1;
}

function policiesOf(options: ChatOptions): Readonly<Record<string, ToolPolicy>> {
  const policies: Record<string, ToolPolicy> = { ...usualPolicies };
  for (const policy of toolPolicies) {
    for (const name of (options[policy] ?? "").split(",").map((part) => part.trim())) {
      const names = name === "all" ? Object.keys(policies) : name === "" ? [] : [name];
      for (const each of names) {
        if (!(each in policies)) {
          throw new UsageError(`there is no tool ${each}`, `There are ${Object.keys(policies).join(", ")}, or all.`);
        }
        policies[each] = policy;
      }
    }
  }
  return policies;
}
