import { jsonText } from "../entry/json.ts";
import type { AgentMessage } from "../entry/message.ts";

/** How many tokens a message costs a model, about. Must be total: stored messages may have any shape. */
export type TokenEstimator = (message: AgentMessage) => number;

const charactersPerToken = 4;
const imageCharacters = 4800;

/**
 * A token for every four UTF-16 units begun, an image as 1,200 tokens: what pi counts. Thinking, the names and JSON
 * arguments of calls, and what a system message says about sections and tools are part of it; unknown roles are 0.
 */
export function estimateTokens(message: AgentMessage): number {
  return textTokens(charactersIn(message as unknown as Stored));
}

/** The same for so many characters of text. */
export function textTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** How much text so many tokens are. */
export function charactersOf(tokens: number): number {
  return tokens * charactersPerToken;
}

export function sumTokens(messages: readonly AgentMessage[], estimate: TokenEstimator = estimateTokens): number {
  return messages.reduce((sum, message) => sum + estimate(message), 0);
}

type Stored = Readonly<Record<string, unknown>>;

function charactersIn(message: Stored): number {
  switch (message?.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return contentCharacters(message.content);
    case "bashExecution":
      return message.excludeFromContext === true ? 0 : lengthOf(message.command) + lengthOf(message.output);
    case "branchSummary":
    case "compactionSummary":
      return lengthOf(message.summary);
    case "system":
      return contentCharacters(message.content) + sectionCharacters(message.sections) + jsonLength(message.toolsAdded);
    default:
      return 0;
  }
}

function contentCharacters(content: unknown): number {
  if (!Array.isArray(content)) return lengthOf(content);
  return content.reduce((sum: number, block: Stored) => sum + blockCharacters(block), 0);
}

function blockCharacters(block: Stored): number {
  switch (block?.type) {
    case "text":
      return lengthOf(block.text);
    case "thinking":
      return lengthOf(block.thinking);
    case "image":
      return imageCharacters;
    case "toolCall":
      return lengthOf(block.name) + jsonLength(block.arguments);
    default:
      return 0;
  }
}

function sectionCharacters(sections: unknown): number {
  if (typeof sections !== "object" || sections === null) return 0;
  return Object.values(sections).reduce((sum: number, text) => sum + lengthOf(text), 0);
}

function jsonLength(value: unknown): number {
  return value === undefined ? 0 : jsonText(value).length;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
