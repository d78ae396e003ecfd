import type { AgentMessage, ToolCall } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { describeToolCall } from "../outline/describe-tool-call.ts";
import { messageText, toolCallsOf } from "../outline/message-text.ts";
import { beginning } from "./shortened-text.ts";

/** What can be told of a conversation without understanding it. All in order, each as one line. */
export interface ConversationFacts {
  /** What users asked for. */
  readonly requests: readonly string[];
  /** What the model said last before each request and at the end, if it didn't only announce a call. */
  readonly outcomes: readonly string[];
  /** The last that the model said. */
  readonly lastSaid: string | undefined;
  /** Single sentences of users, and of the model. */
  readonly userSentences: readonly string[];
  readonly modelSentences: readonly string[];
  /** Calls that failed, with the first line of what they said, and replies that did. */
  readonly errors: readonly string[];
  /** Calls without a result. */
  readonly openCalls: readonly string[];
  /** Summaries of branches, notes and commands that stand among the messages. */
  readonly notes: readonly string[];
}

const requestLimit = 320;
const outcomeLimit = 240;
const noteLimit = 600;
const errorLimit = 200;

export function factsOf(messages: readonly AgentMessage[]): ConversationFacts {
  const collector = new Collector();
  for (const message of messages) collector.add(message);
  return collector.facts();
}

class Collector {
  readonly #requests: string[] = [];
  readonly #outcomes: string[] = [];
  readonly #userSentences: string[] = [];
  readonly #modelSentences: string[] = [];
  readonly #errors: string[] = [];
  readonly #notes: string[] = [];
  readonly #calls = new Map<string, ToolCall>();
  readonly #open = new Map<string, ToolCall>();
  #saidInTurn = "";
  #lastSaid: string | undefined;

  add(message: AgentMessage): void {
    const text = messageText(message).trim();
    switch (message.role) {
      case "user":
        this.#closeTurn();
        if (text !== "") this.#requests.push(oneLine(text, requestLimit));
        for (const sentence of sentencesOf(text)) this.#userSentences.push(sentence);
        break;
      case "assistant":
        this.#addReply(message, text);
        break;
      case "toolResult":
        this.#addResult(message, text);
        break;
      case "branchSummary":
        if (text !== "") this.#notes.push(`Another branch: ${oneLine(text, noteLimit)}`);
        break;
      case "bashExecution":
        this.#notes.push(`The user ran \`${oneLine(text, errorLimit)}\``);
        break;
      case "custom":
        if (text !== "") this.#notes.push(`${storedText(message.customType)}: ${oneLine(text, noteLimit)}`);
        break;
    }
  }

  facts(): ConversationFacts {
    this.#closeTurn();
    return {
      requests: this.#requests,
      outcomes: this.#outcomes,
      lastSaid: this.#lastSaid,
      userSentences: this.#userSentences,
      modelSentences: this.#modelSentences,
      errors: this.#errors,
      openCalls: [...this.#open.values()].map((call) => oneLine(describeToolCall(call), errorLimit)),
      notes: this.#notes,
    };
  }

  #addReply(message: Extract<AgentMessage, { role: "assistant" }>, text: string): void {
    const hasFailed = message.stopReason === "error" || message.stopReason === "aborted";
    const failure = storedText(message.errorMessage);
    if (message.stopReason === "error" && failure !== "") {
      this.#errors.push(`The model failed: ${oneLine(failure, errorLimit)}`);
    }
    if (text !== "") this.#saidInTurn = text;
    for (const sentence of sentencesOf(text)) this.#modelSentences.push(sentence);
    for (const call of toolCallsOf(message)) {
      this.#calls.set(call.id, call);
      if (!hasFailed) this.#open.set(call.id, call);
    }
  }

  #addResult({ toolCallId, toolName, isError }: Extract<AgentMessage, { role: "toolResult" }>, text: string): void {
    this.#open.delete(toolCallId);
    if (!isError) return;
    const call = this.#calls.get(toolCallId);
    const called = call ? oneLine(describeToolCall(call), errorLimit) : `[${storedText(toolName)}]`;
    this.#errors.push(`${called} ${firstLine(text)}`.trimEnd());
  }

  #closeTurn(): void {
    const said = this.#saidInTurn;
    if (said === "") return;
    this.#saidInTurn = "";
    this.#lastSaid = oneLine(said, outcomeLimit);
    if (!said.endsWith(":")) this.#outcomes.push(this.#lastSaid);
  }
}

/** Prose only: code and what is too long or too short to be a sentence is left out. */
function sentencesOf(text: string): readonly string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n|(?<=[.!?])\s+/)
    .map((sentence) =>
      sentence
        .replace(/^[\s>*#-]+/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((sentence) => sentence.length >= 12 && sentence.length <= 280);
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n").filter((each) => each.trim() !== "" && each.trim() !== "(no output)");
  return oneLine(line, errorLimit);
}

function oneLine(text: string, limit: number): string {
  return beginning(text.replace(/\s+/g, " ").trim(), limit);
}
