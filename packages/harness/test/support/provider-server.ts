import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Api,
  createModels,
  createProvider,
  type Model,
  type MutableModels,
  type ProviderStreams,
} from "@earendil-works/pi-ai";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { onTestFinished } from "vitest";

/** What a server does with a request, whatever protocol it speaks. */
export type Behaviour =
  | {
      readonly kind: "reply";
      readonly thinking?: string;
      readonly text?: string;
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[];
      readonly usage: { readonly input: number; readonly output: number; readonly cached?: number };
    }
  /** Refuses before anything is streamed. */
  | { readonly kind: "refuse"; readonly status: number; readonly message: string }
  /** Says something and hangs up. */
  | { readonly kind: "cut"; readonly text: string }
  /** Says something and then nothing more. */
  | { readonly kind: "stall"; readonly text: string };

export type Protocol = "openai" | "anthropic";

export interface ProviderServer {
  readonly models: MutableModels;
  readonly model: Model<Api>;
  /** Bodies of the requests, in order. */
  readonly requests: readonly Record<string, unknown>[];
  /** Connections that the client closed in the middle of a reply. */
  readonly hungUp: number;
  script(...behaviours: readonly Behaviour[]): void;
}

/** A provider on this machine that speaks `protocol` over HTTP and does what it is told, request by request. */
export async function startProvider(protocol: Protocol): Promise<ProviderServer> {
  const requests: Record<string, unknown>[] = [];
  const script: Behaviour[] = [];
  let hungUp = 0;
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(await bodyOf(request)));
    response.on("close", () => {
      if (!response.writableFinished) hungUp++;
    });
    const behaviour = script.shift() ?? { kind: "refuse", status: 400, message: "nothing left to say" };
    if (behaviour.kind === "refuse") refuse(response, protocol, behaviour);
    else speak(response, protocol, behaviour);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const model = modelAt(protocol, `http://127.0.0.1:${port}${protocol === "openai" ? "/v1" : ""}`);
  const models = createModels();
  const api: ProviderStreams = protocol === "openai" ? openAICompletionsApi() : anthropicMessagesApi();
  models.setProvider(
    createProvider({
      id: "local",
      auth: { apiKey: { name: "local", resolve: async () => ({ auth: { apiKey: "none" } }) } },
      models: [model],
      api,
    }),
  );
  return {
    models,
    model,
    requests,
    get hungUp() {
      return hungUp;
    },
    script: (...behaviours) => void script.push(...behaviours),
  };
}

function modelAt(protocol: Protocol, baseUrl: string): Model<Api> {
  return {
    ...{ id: "test-model", name: "Test", provider: "local", baseUrl, reasoning: true, input: ["text"] },
    api: protocol === "openai" ? "openai-completions" : "anthropic-messages",
    // Dollars for a million tokens.
    cost: { input: 1, output: 10, cacheRead: 0.5, cacheWrite: 2 },
    contextWindow: 100_000,
    maxTokens: 8_000,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function refuse(
  response: ServerResponse,
  protocol: Protocol,
  { status, message }: Behaviour & { kind: "refuse" },
): void {
  const error = { type: status === 429 ? "rate_limit_error" : "api_error", message };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(protocol === "openai" ? { error } : { type: "error", error }));
}

function speak(response: ServerResponse, protocol: Protocol, behaviour: Exclude<Behaviour, { kind: "refuse" }>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = protocol === "openai" ? openaiEvents(behaviour) : anthropicEvents(behaviour);
  for (const event of events) response.write(event);
  if (behaviour.kind === "cut") setTimeout(() => response.destroy(), 20);
  else if (behaviour.kind === "reply") response.end();
}

function* openaiEvents(behaviour: Exclude<Behaviour, { kind: "refuse" }>): Iterable<string> {
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({
      ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "test-model" },
      choices: [{ index: 0, delta, finish_reason: null }],
      ...more,
    })}\n\n`;
  yield chunk({ role: "assistant", content: "" });
  if (behaviour.kind !== "reply") {
    yield chunk({ content: behaviour.text });
    return;
  }
  const { thinking, text, calls = [], usage } = behaviour;
  if (thinking) yield chunk({ reasoning_content: thinking });
  if (text) yield chunk({ content: text });
  for (const [index, { id, name, args }] of calls.entries()) {
    yield chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] });
  }
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  yield chunk({}, { choices: [{ index: 0, delta: {}, finish_reason }] });
  const { input, output, cached = 0 } = usage;
  const figures = { prompt_tokens: input + cached, completion_tokens: output, total_tokens: input + cached + output };
  yield chunk({}, { choices: [], usage: { ...figures, prompt_tokens_details: { cached_tokens: cached } } });
  yield "data: [DONE]\n\n";
}

function* anthropicEvents(behaviour: Exclude<Behaviour, { kind: "refuse" }>): Iterable<string> {
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const { input, output, cached = 0 } = behaviour.kind === "reply" ? behaviour.usage : { input: 1, output: 1 };
  const usage = {
    input_tokens: input,
    output_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
  };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "test-model", content: [] };
  yield event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  let index = 0;
  const block = function* (content_block: object, ...deltas: readonly object[]) {
    yield event("content_block_start", { index, content_block });
    for (const delta of deltas) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index: index++ });
  };
  if (behaviour.kind !== "reply") {
    yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
    yield event("content_block_delta", { index, delta: { type: "text_delta", text: behaviour.text } });
    return;
  }
  const { thinking, text, calls = [] } = behaviour;
  if (thinking) {
    const signature = { type: "signature_delta", signature: "c2lnbmVk" };
    yield* block({ type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking }, signature);
  }
  if (text) yield* block({ type: "text", text: "" }, { type: "text_delta", text });
  for (const { id, name, args } of calls) {
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(args) };
    yield* block({ type: "tool_use", id, name, input: {} }, delta);
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  yield event("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { ...usage, output_tokens: output },
  });
  yield event("message_stop", {});
}
