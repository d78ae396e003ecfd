import { type AgentEvent, type AgentTool, runAgentLoopContinue } from "@earendil-works/pi-agent-core";
import { type AssistantMessage, type EntryDraft, isBoughError, type ToolResultMessage } from "bough";
import { operation } from "./operations/operation.ts";
import type { HarnessParts } from "./parts.ts";
import { requestMessages, requestOptions } from "./request.ts";
import { plain, resultMessage } from "./result-message.ts";
import { requireModel } from "./settings.ts";
import type { HarnessTool } from "./tools.ts";

/** One reply and what its calls came to, all of it stored. */
export interface Turn {
  readonly reply: AssistantMessage;
  readonly replyId: string;
  readonly toolResults: readonly ToolResultMessage[];
  /** Whether the model is to be asked again for the sake of its calls. */
  readonly wantsAnother: boolean;
}

export interface TurnRequest {
  readonly op: string;
  readonly systemPrompt: string;
  readonly signal: AbortSignal;
}

/** Asks the model once and runs the tools it calls. What goes wrong there is in the turn; what can't be stored rejects. */
export async function runTurn(parts: HarnessParts, request: TurnRequest): Promise<Turn> {
  const recorder = new TurnRecorder(parts, request);
  const { models, settings, hooks } = parts;
  const { signal } = request;
  const model = requireModel(settings.values);
  const messages = await requestMessages(parts, request.systemPrompt, signal);
  const options = await requestOptions(parts, signal);
  const tools = settings.activeTools.map((tool) => recorder.recorded(tool));
  const loop = runAgentLoopContinue(
    { messages, tools },
    {
      model,
      ...(options.reasoning && { reasoning: options.reasoning }),
      toolExecution: parts.toolExecution,
      convertToLlm: (given) => given,
      finishTurn: () => ({ action: "end" }),
      beforeToolCall: async ({ toolCall, args }) => {
        const { id: toolCallId, name: toolName } = toolCall;
        return await hooks.ask("tool_call", { toolCallId, toolName, input: args }, signal);
      },
      afterToolCall: async ({ toolCall, args, result, isError }) => {
        const { id: toolCallId, name: toolName } = toolCall;
        const { content, details, usage } = result;
        const payload = { toolCallId, toolName, input: args, content, details, isError, ...(usage && { usage }) };
        // The tool has done its work: what came of it stands, whoever is still thinking about it.
        try {
          return (await hooks.ask("tool_result", payload, signal)) as object;
        } catch (error) {
          if (signal.aborted) return {};
          throw error;
        }
      },
    },
    (event) => recorder.hear(event),
    signal,
    (asked, context) => models.streamSimple(asked, context, { ...options, signal }),
  );
  try {
    await loop;
  } finally {
    recorder.close();
  }
  return recorder.turn();
}

/** Stores what the loop tells of, and only then passes it on. */
class TurnRecorder {
  readonly #parts: HarnessParts;
  readonly #op: string;
  #reply: { readonly message: AssistantMessage; readonly id: string } | undefined;
  /** Ids set aside for results, by call, for calls whose tool was started. */
  readonly #reserved = new Map<string, string[]>();
  readonly #results = new Map<string, { readonly message: ToolResultMessage; readonly id: string }[]>();
  readonly #toolResults: ToolResultMessage[] = [];
  readonly #terminates: boolean[] = [];
  #isOpen = true;

  constructor(parts: HarnessParts, { op }: TurnRequest) {
    this.#parts = parts;
    this.#op = op;
  }

  turn(): Turn {
    if (!this.#reply) throw new Error("the agent loop ended without a reply");
    const { message: reply, id: replyId } = this.#reply;
    const wantsAnother = this.#terminates.length > 0 && !this.#terminates.every(Boolean);
    return { reply, replyId, toolResults: this.#toolResults, wantsAnother };
  }

  /** What is still running when a turn is over, because something else could not be stored, writes nothing any more. */
  close(): void {
    this.#isOpen = false;
  }

  /** The tool, writing down what it is about to do before it does it. */
  recorded(tool: HarnessTool): AgentTool<never> {
    const { session } = this.#parts;
    return {
      ...(tool as unknown as AgentTool<never>),
      execute: async (toolCallId, args, signal, onUpdate) => {
        const [intent, result] = [await session.storage.createEntryId(), await session.storage.createEntryId()];
        const { name: toolName, replay = "unsafe" } = tool;
        const reply = this.#reply?.id ?? "";
        const data = { op: this.#op, reply, toolCallId, toolName, args: plain(args), replay, result };
        await session.appendBatch([operation("tool_intent", data, intent)]);
        this.#reserved.set(toolCallId, [...(this.#reserved.get(toolCallId) ?? []), result]);
        if (signal?.aborted) throw new Error("Aborted before it began: nothing was done.");
        const running = tool.execute(toolCallId, args, signal, onUpdate, { key: intent });
        return (await untilAbandoned(running, signal, this.#parts.abortGrace)) as never;
      },
    };
  }

  async hear(event: AgentEvent): Promise<void> {
    if (!this.#isOpen) return;
    const { hooks } = this.#parts;
    switch (event.type) {
      case "message_start":
        if (event.message.role === "assistant") await hooks.emit({ type: "message_start", message: event.message });
        return;
      case "message_update":
        await hooks.emit({ ...event, message: event.message as AssistantMessage });
        return;
      case "message_end":
        if (event.message.role === "assistant") await this.#storeReply(plain(event.message));
        else if (event.message.role === "toolResult") await this.#tellResult(event.message.toolCallId);
        return;
      case "tool_execution_start":
      case "tool_execution_update":
        await hooks.emit(event);
        return;
      case "tool_execution_end":
        await this.#storeResult(event);
    }
  }

  async #storeReply(message: AssistantMessage): Promise<void> {
    const [id] = await this.#parts.session.appendBatch([{ kind: "child", draft: { type: "message", message } }]);
    this.#reply = { message, id: id as string };
    await this.#parts.hooks.emit({ type: "message_end", message, entryId: id as string });
  }

  async #storeResult(event: Extract<AgentEvent, { type: "tool_execution_end" }>): Promise<void> {
    const { toolCallId } = event;
    const reserved = this.#reserved.get(toolCallId)?.shift();
    const stored = await this.#append(resultMessage(event), reserved);
    this.#results.set(toolCallId, [...(this.#results.get(toolCallId) ?? []), stored]);
    this.#terminates.push(event.result?.terminate === true);
    await this.#parts.hooks.emit({ ...event, entryId: stored.id });
  }

  /** A result that can't be kept as it is becomes an error that says so: a call without a result is worse. */
  async #append(message: ToolResultMessage, id: string | undefined) {
    try {
      return await this.#appendAs(message, id);
    } catch (error) {
      if (!isBoughError(error, "invalid_entry")) throw error;
      const text = `The result of ${message.toolName} can't be stored: ${error.details.field} ${error.details.reason}.`;
      const { details: _, usage: __, ...rest } = message;
      return await this.#appendAs({ ...rest, content: [{ type: "text", text }], isError: true }, id);
    }
  }

  async #appendAs(message: ToolResultMessage, id: string | undefined) {
    const draft: EntryDraft = { type: "message", message };
    const [entryId] = await this.#parts.session.appendBatch([
      { kind: "child", draft, ...(id !== undefined && { id }) },
    ]);
    return { message, id: entryId as string };
  }

  async #tellResult(toolCallId: string): Promise<void> {
    const stored = this.#results.get(toolCallId)?.shift();
    if (!stored) return;
    const { message, id } = stored;
    this.#toolResults.push(message);
    await this.#parts.hooks.emit({ type: "message_start", message });
    await this.#parts.hooks.emit({ type: "message_end", message, entryId: id });
  }
}

/** Once aborted a tool has `grace` milliseconds to end; whatever it does after that, nobody knows. */
async function untilAbandoned<T>(running: Promise<T>, signal: AbortSignal | undefined, grace: number): Promise<T> {
  if (!signal) return await running;
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(new Error("Aborted. The tool did not end, its outcome is unknown.")), grace);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([running, abandoned]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
