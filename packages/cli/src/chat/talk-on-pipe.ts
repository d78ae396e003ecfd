import type { ExtensionUI, RunOutcome } from "@bough/harness";
import { messageText, plainLine, plainText } from "bough/outline";
import type { Cli } from "../cli.ts";
import { report } from "../failure.ts";
import { converse } from "./converse.ts";
import { PipeInput, until } from "./input.ts";
import { mannerOfEvents, mannerOfText, type OpenChat } from "./manner.ts";

export interface PipeOptions {
  readonly json?: true;
}

/** Says one thing and prints what the model finally answers. The exit code says whether it did. */
export async function printAnswer(cli: Cli, open: OpenChat, text: string, { json }: PipeOptions): Promise<number> {
  const manner = json ? mannerOfEvents(cli) : mannerOfText(cli, undefined, cli.stderr);
  const chat = await open({ ...manner, ui: noticesTo(cli) });
  try {
    const outcome = await chat.say(text);
    const answer = outcome.message ? plainText(messageText(outcome.message)).trimEnd() : "";
    if (!json && answer !== "") await cli.stdout.line(answer);
    return await exitCodeOf(cli, outcome);
  } finally {
    await chat.close();
  }
}

/** Each line of standard input is said, or done, in turn; the first that is refused ends it. */
export async function talkOnPipe(cli: Cli, open: OpenChat, { json }: PipeOptions): Promise<number> {
  const manner = json ? mannerOfEvents(cli) : mannerOfText(cli, cli.stdout, cli.stderr);
  const chat = await open({ ...manner, ui: noticesTo(cli) });
  let exitCode = 0;
  try {
    await converse(chat, {
      input: until(cli.signal, new PipeInput(cli.stdin)),
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

/** What extensions tell the user; there is no line of theirs to be changed. */
function noticesTo({ stderr }: Cli): ExtensionUI {
  return { notify: (text) => void stderr.line(plainLine(text, 1000)), setEditorText: () => undefined };
}

async function exitCodeOf(cli: Cli, { status, error }: RunOutcome): Promise<number> {
  if (error) await report(error, cli);
  return status === "answered" ? 0 : status === "aborted" ? 130 : 1;
}
