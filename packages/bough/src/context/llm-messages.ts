import type { ModelRef } from "../entry/entry.ts";
import type { AgentMessage, AssistantMessage, ToolCall, ToolResultMessage, UserMessage } from "../entry/message.ts";
import { callIdOf, isSame, replyContent, spokenContent } from "./provider-content.ts";
import { opening, timeOf, userMessageOf } from "./user-notes.ts";

/*
 * Any stored history becomes one that providers take, and appending to it never changes what was made of it before:
 * that would cost the prompt cache. So messages are read once, in order, and nothing that was put out is taken back.
 *
 * A reply with calls opens a turn. The turn is put out, whole, when its last result arrives or when something else is put
 * out after it; calls without a result by then get one that says so. A result counts for the first call of its id that
 * lacks one in the turn that is open. Any other is dropped: it came before its call, twice, or too late. While a turn is
 * open nothing of it is put out, not even at the end of the history: a made-up result could not be taken back.
 *
 * What is not put out (a failed reply, empty messages, unknown roles, system messages) neither opens nor closes a turn.
 * The results of a failed reply go with it. Ids that were used before in the same history get a number, because
 * providers want every call of a request to have its own.
 */

/** What providers take as a conversation. The prompt stands beside it, in `SessionContext.systemPrompt`. */
export type ConversationMessage = UserMessage | AssistantMessage | ToolResultMessage;

export interface LlmMessageOptions {
  /** The model that will be asked: what only its own producer can read of another model's replies is left out. */
  readonly model?: ModelRef | null;
}

/**
 * Total: never throws, and what comes out is valid for any history. `toLlmMessages(a)` is a prefix of
 * `toLlmMessages([...a, ...b])`. Messages that need no change are the stored objects themselves.
 */
export function toLlmMessages(
  messages: readonly AgentMessage[],
  options: LlmMessageOptions = {},
): readonly ConversationMessage[] {
  const conversation = new Conversation(options.model ?? undefined);
  for (const message of messages as readonly unknown[]) {
    if (typeof message === "object" && message !== null) conversation.add(message as Stored);
  }
  return conversation.messages;
}

export { toLlmMessages as convertToLlm };

type Stored = Readonly<Record<string, unknown>>;

interface Turn {
  readonly reply: AssistantMessage;
  readonly calls: readonly ToolCall[];
  /** One place a call. */
  readonly results: (Stored | undefined)[];
  /** By call id, which places still wait for a result, the first call last. */
  readonly waiting: Map<string, number[]>;
}

const failures: ReadonlySet<unknown> = new Set(["error", "aborted", "deferred", "pending"]);
const noResult = "No result was recorded for this call.";
const noOutput = "(no output)";

class Conversation {
  readonly messages: ConversationMessage[] = [];
  readonly #model: ModelRef | undefined;
  readonly #ids = new CallIds();
  #turn: Turn | undefined;
  /** How many calls of each id failed replies made since the last message that was put out. */
  readonly #failedCalls = new Map<string, number>();

  constructor(model: ModelRef | undefined) {
    this.#model = model;
  }

  add(message: Stored): void {
    if (message.role === "assistant") this.#addReply(message);
    else if (message.role === "toolResult") this.#addResult(message);
    else this.#addUser(userMessageOf(message));
  }

  #addUser(message: UserMessage | undefined): void {
    if (message === undefined) return;
    this.#closeTurn();
    this.#put(message);
  }

  #addReply(message: Stored): void {
    const content = replyContent(message.content, this.#isForeign(message));
    const calls = content.filter((block) => block.type === "toolCall");
    if (failures.has(message.stopReason)) {
      for (const { id } of calls) this.#failedCalls.set(id, (this.#failedCalls.get(id) ?? 0) + 1);
      return;
    }
    if (content.length === 0) return;
    this.#closeTurn();
    const reply = (isSame(content, message.content) ? message : { ...message, content }) as unknown as AssistantMessage;
    if (calls.length === 0) this.#put(reply);
    else this.#turn = turnOf(reply, calls);
  }

  #addResult(message: Stored): void {
    const id = callIdOf(message.toolCallId);
    const failed = this.#failedCalls.get(id) ?? 0;
    if (failed > 0) {
      this.#failedCalls.set(id, failed - 1);
      return;
    }
    const waiting = this.#turn?.waiting.get(id);
    const place = waiting?.pop();
    if (this.#turn === undefined || waiting === undefined || place === undefined) return;
    this.#turn.results[place] = message;
    if (waiting.length === 0) this.#turn.waiting.delete(id);
    if (this.#turn.waiting.size === 0) this.#closeTurn();
  }

  #closeTurn(): void {
    this.#failedCalls.clear();
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#turn = undefined;
    const ids = turn.calls.map((call) => this.#ids.unused(call.id));
    this.#put(renamed(turn, ids));
    for (const [index, call] of turn.calls.entries()) {
      this.#put(resultOf({ ...call, id: ids[index] as string }, turn.results[index], turn.reply));
    }
  }

  #put(message: ConversationMessage): void {
    if (this.messages.length === 0 && message.role !== "user") {
      this.messages.push(opening(timeOf(message as unknown as Stored)));
    }
    this.messages.push(message);
  }

  #isForeign(reply: Stored): boolean {
    if (this.#model === undefined) return false;
    return reply.provider !== this.#model.provider || reply.model !== this.#model.modelId;
  }
}

function turnOf(reply: AssistantMessage, calls: readonly ToolCall[]): Turn {
  const waiting = new Map<string, number[]>();
  for (let place = calls.length - 1; place >= 0; place--) {
    const { id } = calls[place] as ToolCall;
    const places = waiting.get(id);
    if (places) places.push(place);
    else waiting.set(id, [place]);
  }
  return { reply, calls, results: calls.map(() => undefined), waiting };
}

/** The reply under ids that nothing before it used. */
function renamed({ reply, calls }: Turn, ids: readonly string[]): AssistantMessage {
  if (calls.every((call, index) => call.id === ids[index])) return reply;
  const remaining = ids.values();
  const content = reply.content.map((block) =>
    block.type === "toolCall" ? { ...block, id: remaining.next().value as string } : block,
  );
  return { ...reply, content };
}

function resultOf(call: ToolCall, stored: Stored | undefined, reply: AssistantMessage): ToolResultMessage {
  const identity = { role: "toolResult", toolCallId: call.id, toolName: call.name } as const;
  if (stored === undefined) {
    const timestamp = timeOf(reply as unknown as Stored);
    return { ...identity, content: [{ type: "text", text: noResult }], isError: true, timestamp };
  }
  const spoken = spokenContent(stored.content);
  const content = spoken.length === 0 ? [{ type: "text", text: noOutput } as const] : spoken;
  const isError = stored.isError === true;
  const fine =
    isSame(content, stored.content) &&
    stored.toolCallId === call.id &&
    stored.toolName === call.name &&
    stored.isError === isError;
  return (fine ? stored : { ...stored, ...identity, content, isError }) as unknown as ToolResultMessage;
}

/** Hands out every call id once. */
class CallIds {
  readonly #used = new Set<string>();
  readonly #repeats = new Map<string, number>();

  unused(stored: string): string {
    const base = stored.trim() === "" ? "call" : stored.toWellFormed();
    let id = base;
    let count = this.#repeats.get(base) ?? 1;
    while (this.#used.has(id)) id = `${base}_${++count}`;
    this.#repeats.set(base, count);
    this.#used.add(id);
    return id;
  }
}
