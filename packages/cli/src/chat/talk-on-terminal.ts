import type { AgentHarness, TrustAnswer, TrustQuestion } from "@bough/harness";
import { messageText, plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { report } from "../failure.ts";
import { converse } from "./converse.ts";
import { until } from "./input.ts";
import { mannerOfText, type OpenChat } from "./manner.ts";
import { permissionFrom } from "./permission.ts";
import { statusLine } from "./session-notes.ts";
import { parsedCommand } from "./slash-command.ts";
import { slashCommands } from "./slash-commands.ts";
import { TerminalInput } from "./terminal-input.ts";

/** Talks with somebody who sits there, until they leave. What goes wrong is said, and the conversation goes on. */
export async function talkOnTerminal(cli: Cli, open: OpenChat): Promise<undefined> {
  const { stdout, stdin } = cli;
  const manner = mannerOfText(cli, stdout, stdout);
  const failed = async (error: unknown) => void (await report(error, cli));
  const input = new TerminalInput({
    ...{ input: stdin, output: stdout.stream, completions: slashCommands.map(({ name }) => `/${name}`) },
    onAside: (line) => void steer(line).catch(failed),
    onInterrupt: () => void interrupt().catch(failed),
  });
  const opening = open({
    ...manner,
    ask: permissionFrom(input, stdout),
    askTrust: trustFrom(input, stdout),
    ui: {
      notify: (text, level = "info") => void manner.transcript.note(colours[level], plainLine(text, 1000)),
      setEditorText: (text) => input.offer(text),
    },
  });
  async function steer(line: string): Promise<void> {
    const running = await (await opening).running();
    if (line.trim() === "") return;
    // A move says nothing to the model: what is typed meanwhile stands in the next line.
    if (!running || running.phase === "branch_summary") return input.offer(line);
    if (parsedCommand(line)) {
      input.offer(line);
      return await aside(line, "commands wait until the answer is there");
    }
    await running.steer(line);
    await aside(line, "said after this turn");
  }
  async function aside(line: string, becomes: string): Promise<void> {
    await manner.transcript.note("dim", `› ${plainLine(line)}`);
    await manner.transcript.note("dim", `  (${becomes})`);
  }
  async function interrupt(): Promise<void> {
    const running = await (await opening).running();
    if (running) takeBack(await running.abort());
    else if (!input.clear()) input.say("(Ctrl-D ends the conversation)");
  }
  function takeBack({ steer, followUp }: Awaited<ReturnType<AgentHarness["abort"]>>): void {
    for (const message of [...steer, ...followUp]) input.offer(messageText(message));
  }
  try {
    const chat = await opening;
    await stdout.line(stdout.paint("dim", "/help says what can be typed. Ctrl-C stops the model, Ctrl-D ends."));
    await chat.greet();
    await converse(chat, {
      input: until(cli.signal, input),
      failed,
      ran: async ({ error }) => {
        if (error) await failed(error);
        await stdout.line(stdout.paint("dim", await statusLine(chat, await chat.harness())));
      },
    });
    await stdout.line();
    return undefined;
  } finally {
    input.close();
    await (await opening.catch(() => undefined))?.close();
  }
}

const colours = { info: "dim", warning: "yellow", error: "red" } as const;

const trustAnswers: ReadonlyMap<string, TrustAnswer> = new Map([
  ["a", "always"],
  ["o", "once"],
  ["n", "not-now"],
  ["v", "never"],
]);

function trustFrom(input: TerminalInput, output: Cli["stdout"]) {
  return async ({ folder, extensions }: TrustQuestion): Promise<TrustAnswer> => {
    await output.line(`${plainLine(folder, 1000)} brings programs that would run in this conversation:`);
    for (const path of extensions) await output.line(`  ${plainLine(path, 1000)}`);
    const prompt = output.paint("yellow", "Run them? [a]lways, [o]nce, [n]ot now, ne[v]er: ");
    while (true) {
      const line = await input.line({ prompt });
      const answer = line === undefined ? "not-now" : trustAnswers.get(line.trim().toLowerCase());
      if (answer) return answer;
      if (line?.trim()) input.offer(line);
    }
  };
}
