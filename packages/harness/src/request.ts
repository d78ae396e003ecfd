import {
  clampThinkingLevel,
  createInitialSystemMessage,
  type Message,
  type ModelThinkingLevel,
  type SimpleStreamOptions,
  type Tool,
} from "@earendil-works/pi-ai";
import { AgentHarnessError, type AgentMessage } from "bough";
import { toLlmMessages } from "bough/context";
import type { HarnessParts } from "./parts.ts";
import { modelRef, requireModel } from "./settings.ts";

/** The prompt text of a run: the caller's, else what the session's own system messages add up to. */
export async function systemPromptOf({ session, systemPrompt }: HarnessParts): Promise<string> {
  if (typeof systemPrompt === "function") return await systemPrompt();
  return systemPrompt ?? (await session.buildContext()).systemPrompt ?? "";
}

/** Whether the model has something to answer at the leaf. */
export async function awaitsAnswer({ session }: HarnessParts): Promise<boolean> {
  return endsOpen(toLlmMessages((await session.buildContext()).messages));
}

export function nothingToAnswer(): AgentHarnessError<"invalid_state"> {
  const reason = "there is nothing to answer";
  return new AgentHarnessError("invalid_state", reason, { reason });
}

function endsOpen(conversation: readonly AgentMessage[]): boolean {
  const last = conversation.at(-1);
  return last !== undefined && last.role !== "assistant";
}

/** What the model is to be sent at the leaf: the projection of the path, behind the prompt and the tools in force. */
export async function requestMessages(parts: HarnessParts, systemPrompt: string, signal: AbortSignal) {
  const { session, settings, hooks } = parts;
  const { messages } = await session.buildContext();
  const asked = await hooks.ask("context", { messages }, signal);
  const conversation = toLlmMessages(asked.messages ?? messages, { model: modelRef(settings.values.model) });
  if (!endsOpen(conversation)) throw nothingToAnswer();
  const head = createInitialSystemMessage(systemPrompt, settings.activeTools as unknown as Tool[]);
  return [...(head ? [head] : []), ...conversation] as Message[];
}

/** How the model is asked, after hooks had their say. */
export async function requestOptions(parts: HarnessParts, signal: AbortSignal): Promise<SimpleStreamOptions> {
  const { session, hooks, settings } = parts;
  const model = requireModel(settings.values);
  const level = clampThinkingLevel(model, settings.values.thinkingLevel as ModelThinkingLevel);
  const streamOptions: SimpleStreamOptions = {
    // Retries are the harness's, so that they can be seen.
    maxRetries: 0,
    identity: { attribution: null },
    ...parts.streamOptions,
    sessionId: session.id,
    ...(level !== "off" && { reasoning: level }),
  };
  const asked = await hooks.ask("before_provider_request", { model, sessionId: session.id, streamOptions }, signal);
  return {
    ...(asked.streamOptions ?? streamOptions),
    onPayload: async (payload) => (await hooks.ask("before_provider_payload", { model, payload }, signal)).payload,
    onResponse: async ({ status, headers }) => await hooks.emit({ type: "after_provider_response", status, headers }),
  };
}
