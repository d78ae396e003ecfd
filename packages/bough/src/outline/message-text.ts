import type { AgentMessage, ToolCall } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";

/** The words of a message as one text: no thinking, no calls, images as `[image]`. Stored content may have any shape. */
export function messageText(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return storedText(message.command);
    case "branchSummary":
    case "compactionSummary":
      return storedText(message.summary);
    default:
      return contentText((message as { readonly content?: unknown }).content);
  }
}

export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return blocksOf(content)
    .map((block) => (block.type === "image" ? "[image]" : storedText(block.text)))
    .filter((text) => text !== "")
    .join("\n");
}

export function toolCallsOf(message: AgentMessage): readonly ToolCall[] {
  if (message.role !== "assistant") return [];
  return blocksOf(message.content).filter((block) => block.type === "toolCall") as unknown as readonly ToolCall[];
}

type Block = Readonly<Record<string, unknown>>;

export function blocksOf(content: unknown): readonly Block[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block): block is Block => typeof block === "object" && block !== null);
}
