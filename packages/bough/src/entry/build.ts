import { withExactNumbers } from "./exact-numbers.ts";
import type {
  AgentMessage,
  AssistantContent,
  AssistantMessage,
  MessageInput,
  TextContent,
  ToolResultMessage,
  UserContent,
} from "./message.ts";
import { zeroUsage } from "./usage.ts";

type Input<Role extends MessageInput["role"]> = Extract<MessageInput, { readonly role: Role }>;
type More<M extends AgentMessage, Fixed extends keyof M> = Partial<Omit<M, "role" | "content" | Fixed>>;

export function user(content: UserContent): Input<"user"> {
  return { role: "user", content };
}

export function assistant(
  content: string | AssistantContent,
  more: More<AssistantMessage, never> = {},
): Input<"assistant"> {
  return { role: "assistant", content: blocks(content), ...more };
}

/** The result of the call `callId`; an error if `more` says so. */
export function toolResult(
  callId: string,
  name: string,
  content: string | ToolResultMessage["content"],
  more: More<ToolResultMessage, "toolCallId" | "toolName"> = {},
): Input<"toolResult"> {
  return { role: "toolResult", toolCallId: callId, toolName: name, content: blocks(content), isError: false, ...more };
}

/** Fills in what a caller may leave out; what is there stays, right or wrong. `now` is in milliseconds. */
export function completeMessage(input: MessageInput, now: number): AgentMessage {
  const { timestamp = now } = input;
  switch (input.role) {
    case "assistant":
      if (isComplete(input)) return input;
      return {
        ...head(input),
        ...assistantDefaults(input),
        ...present(input),
        content: blocks(input.content),
        timestamp,
      };
    case "toolResult":
      return { ...input, content: blocks(input.content), isError: input.isError ?? false, timestamp };
    default:
      return { ...input, timestamp };
  }
}

/** Nothing is left out, and what comes first stands first. */
function isComplete(input: Input<"assistant">): input is AssistantMessage {
  const { api, provider, model, usage, stopReason, timestamp } = input;
  if (api === undefined || provider === undefined || model === undefined) return false;
  if (usage === undefined || stopReason === undefined || timestamp === undefined) return false;
  if (!Array.isArray(input.content)) return false;
  const [first, second] = Object.keys(input);
  return first === "role" && second === "content";
}

/** Comes first, as every other writer puts it. */
function head({ role, content }: Input<"assistant">): Input<"assistant"> {
  return { role, content };
}

type AssistantDefaults = Pick<AssistantMessage, "api" | "provider" | "model" | "usage" | "stopReason">;

function assistantDefaults({ content }: Input<"assistant">): AssistantDefaults {
  const calls = Array.isArray(content) && content.some((block) => block?.type === "toolCall");
  const stopReason = calls ? "toolUse" : "stop";
  return { api: "unknown", provider: "unknown", model: "unknown", usage: zeroUsage, stopReason };
}

/** Without members that are `undefined`, so that they don't hide a default. */
function present(input: Input<"assistant">): Input<"assistant"> {
  if (!(Object.values(input) as unknown[]).includes(undefined)) return input;
  const members = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return withExactNumbers(input, members) as Input<"assistant">;
}

function blocks<Block>(content: string | readonly Block[]): readonly (Block | TextContent)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
