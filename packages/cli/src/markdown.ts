import type { AgentMessage, SessionTreeEntry, ToolCall } from "bough";
import {
  contentText,
  describeEntry,
  describeToolCall,
  messageText,
  plainLine,
  plainText,
  storedText,
  toolCallsOf,
} from "bough/outline";

export interface TranscriptHead {
  readonly title: string;
  readonly id: string;
  readonly cwd: string;
  readonly created: string;
}

/** How much of a tool's output a transcript holds. */
const outputLines = 20;
const outputLength = 2000;

/** A path as Markdown to read, piece by piece: what was said in full, tools as short blocks, nothing that is not for people. */
export function* transcript(
  head: TranscriptHead,
  path: Iterable<SessionTreeEntry>,
  labelOf: (id: string) => string | undefined,
): Generator<string> {
  yield `# ${plainLine(head.title)}\n\n`;
  yield `Session ${inlineCode(head.id)}, begun ${plainLine(head.created)} in ${inlineCode(head.cwd)}.\n`;
  const calls = new OpenCalls();
  for (const entry of path) {
    if (isResult(entry)) {
      yield calls.answered(entry.message);
      continue;
    }
    yield calls.unanswered();
    yield section(entry, labelOf(entry.id));
    if (entry.type === "message") calls.open(toolCallsOf(entry.message));
  }
  yield calls.unanswered();
}

type MessageEntry = Extract<SessionTreeEntry, { type: "message" }>;
type ResultMessage = Extract<AgentMessage, { role: "toolResult" }>;

function isResult(entry: SessionTreeEntry): entry is MessageEntry & { readonly message: ResultMessage } {
  return entry.type === "message" && entry.message.role === "toolResult";
}

/** Calls of the last reply that no result has been met for. */
class OpenCalls {
  #calls: ToolCall[] = [];

  open(calls: readonly ToolCall[]): void {
    this.#calls = [...calls];
  }

  answered(result: ResultMessage): string {
    const at = this.#calls.findIndex((call) => call.id === result.toolCallId);
    const [call] = at === -1 ? [] : this.#calls.splice(at, 1);
    const title = call ? describeToolCall(call) : `[${storedText(result.toolName)}]`;
    return `\n${inlineCode(title)}${result.isError ? " failed" : ""}\n${outputBlock(messageText(result))}`;
  }

  unanswered(): string {
    return this.#calls
      .splice(0)
      .map((call) => `\n${inlineCode(describeToolCall(call))} has no result\n`)
      .join("");
  }
}

function section(entry: SessionTreeEntry, label: string | undefined): string {
  const mark = label === undefined ? "" : ` · ${plainLine(label)}`;
  switch (entry.type) {
    case "message":
      return messageSection(entry.message, mark);
    case "compaction":
      return said(`What came before, in summary${mark}`, entry.summary);
    case "branch_summary":
      return said(`Another branch, in summary${mark}`, entry.summary);
    case "custom_message":
      return entry.display === false ? "" : said(`${plainLine(entry.customType)}${mark}`, contentText(entry.content));
    case "model_change":
    case "thinking_level_change":
    case "reset_boundary":
      return `\n*${escaped(describeEntry(entry))}*\n`;
    default:
      return "";
  }
}

function messageSection(message: AgentMessage, mark: string): string {
  switch (message.role) {
    case "user":
      return said(`User${mark}`, messageText(message));
    case "assistant": {
      const text = messageText(message);
      const failure = storedText(message.errorMessage) || (message.stopReason === "aborted" ? "aborted" : "");
      const ending = failure === "" ? "" : `\n*${escaped(plainLine(failure))}*\n`;
      return (text.trim() === "" && mark === "" ? "" : said(`Assistant${mark}`, text)) + ending;
    }
    case "bashExecution":
      return `\n${inlineCode(`! ${storedText(message.command)}`)}\n${outputBlock(storedText(message.output))}`;
    case "custom":
      return message.display === false
        ? ""
        : said(`${plainLine(storedText(message.customType))}${mark}`, messageText(message));
    default:
      return "";
  }
}

function said(heading: string, text: string): string {
  return `\n## ${heading}\n\n${closedFences(plainText(text).trim())}\n`;
}

function outputBlock(output: string): string {
  const text = plainText(output.slice(0, outputLength)).trimEnd();
  if (text.trim() === "") return "";
  const lines = text.split("\n");
  const shown = lines.slice(0, outputLines);
  const isCut = lines.length > outputLines || output.length > outputLength;
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `\n${fence}\n${shown.join("\n")}\n${fence}\n${isCut ? "\n*and more*\n" : ""}`;
}

/** Code in a line, whatever backticks it holds. */
function inlineCode(text: string): string {
  const line = plainLine(text);
  const run = longestRun(line);
  if (run === 0) return `\`${line}\``;
  const ticks = "`".repeat(run + 1);
  return `${ticks} ${line} ${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/** A code block that a message left open would swallow what follows. */
function closedFences(text: string): string {
  let open: string | undefined;
  for (const [, fence = "", info = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === undefined) open = fence;
    else if (fence.startsWith(open) && info.trim() === "") open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}

function escaped(text: string): string {
  return text.replace(/[\\*_`[\]<]/g, "\\$&");
}
