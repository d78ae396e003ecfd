import type { AgentHarness, ExtensionUI, HarnessEvent, TrustAnswer, TrustQuestion } from "@bough/harness";
import { plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import type { Output } from "../output.ts";
import type { AskPermission } from "../tools/tool-gate.ts";
import { safeJson } from "../write-json.ts";
import type { Chat } from "./chat.ts";
import { eventLine } from "./event-line.ts";
import { LiveTranscript } from "./live-transcript.ts";
import { announce } from "./session-notes.ts";

/** How a conversation is shown, and whom one can ask. */
export interface Manner {
  /** `stdout` is where commands print. */
  readonly cli: Cli;
  readonly hear: (event: HarnessEvent) => Promise<void>;
  readonly entered: (chat: Chat, harness: AgentHarness) => Promise<void>;
  /** Says something beside the conversation that went wrong. */
  readonly warn: (text: string) => Promise<void>;
  readonly ask?: AskPermission;
  readonly askTrust?: (question: TrustQuestion) => Promise<TrustAnswer>;
  readonly ui?: ExtensionUI;
}

export type OpenChat = (manner: Manner) => Promise<Chat>;

/** As lines of JSON on standard output. */
export function mannerOfEvents(cli: Cli): Manner {
  return {
    cli: { ...cli, stdout: cli.stderr },
    hear: async (event) => await cli.stdout.line(eventLine(event)),
    entered: async (_, { session: { id, storage } }) => {
      await cli.stdout.line(safeJson({ type: "session", id, path: storage.ref.location }));
    },
    warn: async (text) => await cli.stderr.line(plainLine(text, 1000)),
  };
}

/** For people: what the model says on `said`, if it is to be shown while it comes, everything else on `notes`. */
export function mannerOfText(cli: Cli, said: Output | undefined, notes: Output) {
  let chat: Chat | undefined;
  const transcript = new LiveTranscript({
    said,
    notes,
    drawn: async ({ customType, content, display, details }, width) => {
      const host = await chat?.host();
      const note = host?.renderMessage({ customType, content, display, details }, { width, expanded: false });
      return note?.kind === "lines" ? note.lines : undefined;
    },
  });
  return {
    cli,
    transcript,
    hear: async (event: HarnessEvent) => await transcript.hear(event),
    entered: async (entered: Chat, harness: AgentHarness) => {
      chat = entered;
      await announce(transcript, entered, harness);
    },
    warn: async (text: string) => await transcript.note("red", `● ${plainLine(text, 1000)}`),
  } satisfies Manner & { readonly transcript: LiveTranscript };
}
