/*
 * What the strictest of the usual providers refuses, written without a look at the code that has to avoid it. It reads a
 * request as bytes would arrive: through JSON, so that nothing but data counts.
 */

type Json = Record<string, unknown>;

/** Why a provider would refuse this conversation; undefined if none would. */
export function refusal(messages: readonly unknown[]): string | undefined {
  const sent = JSON.stringify(messages);
  if (/\\ud[89a-f][0-9a-f]{2}/i.test(sent)) return "half a surrogate pair";
  const conversation = JSON.parse(sent) as Json[];
  if (conversation.length > 0 && conversation[0]?.role !== "user") return "the first message is not the user's";
  const usedIds = new Set<unknown>();
  for (let index = 0; index < conversation.length; index++) {
    const message = conversation[index] as Json;
    if (typeof message.timestamp !== "number") return `message ${index} has no time`;
    switch (message.role) {
      case "user": {
        const fault = spokenFault(message.content);
        if (fault) return `user message ${index}: ${fault}`;
        break;
      }
      case "assistant": {
        const fault = replyFault(message, usedIds);
        if (fault) return `reply ${index}: ${fault}`;
        const calls = (message.content as Json[]).filter((block) => block.type === "toolCall");
        for (const call of calls) {
          const unanswered = resultFault(call, conversation[++index]);
          if (unanswered) return `message ${index}: ${unanswered}`;
        }
        break;
      }
      case "toolResult":
        return `message ${index} is a result without its call`;
      default:
        return `message ${index} has the role ${message.role}`;
    }
  }
  return undefined;
}

function spokenFault(content: unknown): string | undefined {
  if (typeof content === "string") return content.trim() === "" ? "empty text" : undefined;
  if (!Array.isArray(content) || content.length === 0) return "no content";
  for (const block of content as Json[]) {
    if (block?.type === "text") {
      if (isBlank(block.text)) return "an empty text block";
    } else if (block?.type === "image") {
      if (typeof block.data !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(block.data))
        return "an image without image data";
      if (isBlank(block.mimeType)) return "an image without a type";
    } else return `a block of type ${block?.type}`;
  }
  return undefined;
}

function replyFault(message: Json, usedIds: Set<unknown>): string | undefined {
  if (["error", "aborted"].includes(message.stopReason as string)) return "it failed";
  if (!Array.isArray(message.content) || message.content.length === 0) return "no content";
  for (const block of message.content as Json[]) {
    if (block?.type === "text") {
      if (isBlank(block.text)) return "an empty text block";
    } else if (block?.type === "thinking") {
      if (isBlank(block.thinkingSignature)) return "thinking without a signature";
    } else if (block?.type === "toolCall") {
      if (isBlank(block.id) || isBlank(block.name)) return "a call without id or name";
      if (usedIds.has(block.id)) return "a call id that was used before";
      if (typeof block.arguments !== "object" || block.arguments === null || Array.isArray(block.arguments)) {
        return "arguments that are no object";
      }
      usedIds.add(block.id);
    } else return `a block of type ${block?.type}`;
  }
  return (message.content as Json[]).every((block) => block.type === "thinking") ? "nothing but thinking" : undefined;
}

function resultFault(call: Json, result: Json | undefined): string | undefined {
  if (result?.role !== "toolResult") return `call ${call.id} has no result`;
  if (result.toolCallId !== call.id || result.toolName !== call.name) return `not the result of call ${call.id}`;
  if (typeof result.isError !== "boolean" || typeof result.timestamp !== "number") return "an incomplete result";
  return spokenFault(result.content);
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}
