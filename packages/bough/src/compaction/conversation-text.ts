import { jsonText } from "../entry/json.ts";
import type { AgentMessage, ToolCall } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { messageText, toolCallsOf } from "../outline/message-text.ts";
import { shortened } from "./shortened-text.ts";

/*
 * A conversation as a record to read about. Models go on with whatever looks like a conversation, so nothing here does:
 * every part stands under a line that says who spoke, and no stored text can begin such a line or end the record.
 */

export interface ConversationTextOptions {
  /** Longer results of tools are cut to so many UTF-16 units, 2,000 unless given, and say how much is missing. */
  readonly resultLimit?: number;
}

const argumentLimit = 1000;

/** Total: stored messages may have any shape. Thinking and images' bytes are left out. */
export function serializeConversation(
  messages: readonly AgentMessage[],
  { resultLimit = 2000 }: ConversationTextOptions = {},
): string {
  const parts = messages.flatMap((message) => partsOf(message, resultLimit));
  return parts.map(({ who, text }) => `=== ${who} ===\n${quoted(text)}`).join("\n\n");
}

interface Part {
  readonly who: string;
  readonly text: string;
}

function partsOf(message: AgentMessage, resultLimit: number): readonly Part[] {
  const text = messageText(message).trim();
  switch (message.role) {
    case "user":
      return spoken("user", text);
    case "assistant":
      return [...spoken(`assistant${endingOf(message)}`, text), ...toolCallsOf(message).map(callPart)];
    case "toolResult":
      return [{ who: resultTitle(message), text: text === "" ? "(no output)" : shortened(text, resultLimit) }];
    case "bashExecution":
      return [{ who: "command run by the user", text: commandText(message, resultLimit) }];
    case "custom":
      return spoken(`note from ${line(storedText(message.customType))}`, text);
    case "branchSummary":
      return spoken("summary of another branch", text);
    case "compactionSummary":
      return spoken("summary of what came before", text);
    default:
      return [];
  }
}

function spoken(who: string, text: string): readonly Part[] {
  return text === "" ? [] : [{ who, text }];
}

function endingOf({ stopReason }: Extract<AgentMessage, { role: "assistant" }>): string {
  if (stopReason === "aborted") return ", interrupted";
  return stopReason === "error" ? ", failed" : "";
}

function callPart({ name, arguments: given }: ToolCall): Part {
  const entries = Object.entries(given ?? {}).map(([key, value]) => `${key}: ${argumentText(value)}`);
  return { who: `assistant calls ${line(storedText(name))}`, text: entries.join("\n") || "(no arguments)" };
}

function argumentText(value: unknown): string {
  return shortened(typeof value === "string" ? value : jsonText(value ?? null), argumentLimit);
}

function resultTitle({ toolName, isError }: Extract<AgentMessage, { role: "toolResult" }>): string {
  return `${isError ? "error" : "result"} of ${line(storedText(toolName))}`;
}

function commandText(message: Extract<AgentMessage, { role: "bashExecution" }>, limit: number): string {
  const { command, output, exitCode, cancelled } = message;
  const hasFailed = typeof exitCode === "number" && exitCode !== 0;
  const ending = cancelled ? "\n(cancelled)" : hasFailed ? `\n(exit code ${exitCode})` : "";
  return `$ ${storedText(command)}\n${shortened(storedText(output).trim(), limit)}${ending}`;
}

function line(name: unknown): string {
  return String(name ?? "unknown").replace(/\s+/g, " ");
}

/** A space in front of what would read as a title. */
function quoted(text: string): string {
  return withoutTags(text.toWellFormed().replace(/^(?==== )/gm, " "));
}

/** Stored text that can't end the part of a prompt it stands in. */
export function withoutTags(text: string): string {
  return text.replace(/<(?=\/?(?:transcript|previous-summary|turn-start)\b)/g, "< ");
}
