import {
  type AssistantMessage,
  type FauxContentBlock,
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type Message,
  type Model,
  type Provider,
  type TranscriptContext,
} from "@earendil-works/pi-ai";
import { messageText } from "bough/outline";

export const demoProvider = "demo";

/** A model that needs no network: it understands a handful of requests, and says which. */
export function demoModel(): { readonly provider: Provider; readonly model: Model<string> } {
  const faux = fauxProvider({
    ...{ api: "demo", provider: demoProvider, tokensPerSecond: 120 },
    models: [{ id: "scripted", name: "Scripted demo", reasoning: true, contextWindow: 32_000 }],
  });
  const respond = (context: TranscriptContext) => {
    faux.appendResponses([respond]);
    return reply(context.messages);
  };
  faux.setResponses([respond]);
  return { provider: faux.provider, model: faux.getModel() };
}

function reply(messages: readonly Message[]): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === "toolResult") return fauxAssistantMessage(aboutResult(last));
  const said = last ? messageText(last as never) : "";
  const calls = requests.flatMap(({ pattern, name, args }) => {
    const match = pattern.exec(said);
    return match ? [fauxToolCall(name, args(match))] : [];
  });
  if (calls.length > 0) return fauxAssistantMessage([fauxText("I'll see."), ...calls], { stopReason: "toolUse" });
  return fauxAssistantMessage(aboutItself(said));
}

interface Request {
  readonly pattern: RegExp;
  readonly name: string;
  readonly args: (match: RegExpExecArray) => Record<string, never>;
}

function request(pattern: RegExp, name: string, args: (...groups: readonly string[]) => object): Request {
  return { pattern, name, args: ([, ...groups]) => args(...groups) as Record<string, never> };
}

const requests: readonly Request[] = [
  request(/\bread `?([\w./-]+)`?/i, "read", (path) => ({ path })),
  request(/\bwrite `?([\w./-]+)`?(?:: ?(.+))?/is, "write", (path, content = "Written by the demo.") => ({
    path,
    content: `${content}\n`,
  })),
  request(
    /\b(?:replace|change) "(.+?)" (?:by|with|to) "(.*?)" in `?([\w./-]+)`?/is,
    "edit",
    (oldText, newText, path) => ({
      ...{ path, oldText, newText },
    }),
  ),
  request(/\brun `(.+?)`/is, "bash", (command) => ({ command })),
];

function aboutResult({ toolName, content, isError }: Extract<Message, { role: "toolResult" }>): FauxContentBlock[] {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  const lines = text.split("\n").length;
  const outcome = isError ? "failed. It says" : `answered with ${lines} ${lines === 1 ? "line" : "lines"}. The first`;
  return [fauxText(`**${toolName}** ${outcome}:\n\n> ${text.split("\n", 1)[0]}\n`)];
}

function aboutItself(said: string): FauxContentBlock[] {
  const words = said.trim().split(/\s+/).filter(Boolean).length;
  return [
    fauxThinking("Nothing to look up, so I explain myself."),
    fauxText(
      `You said ${words} ${words === 1 ? "word" : "words"}. I am a script, not a model, but the rest is real: what we say is stored, ` +
        "tools run, branches and compactions work. Ask me to\n\n" +
        "- read `README.md`\n- run `ls -l`\n- write `notes.txt`: some words\n" +
        '- change "some" to "more" in `notes.txt`\n\n' +
        "Then type `/tree` to see the conversation, and `/tree ENTRY` to go back and say something else.\n",
    ),
  ];
}
