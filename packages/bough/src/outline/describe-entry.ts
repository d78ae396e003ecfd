import type { CompactionEntry, ContextEditEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { describeToolCall } from "./describe-tool-call.ts";
import { contentText, messageText, toolCallsOf } from "./message-text.ts";
import { plainLine } from "./plain-text.ts";

export interface DescribeOptions {
  /** The call that a tool result answers, as `describeToolCall` tells it; without it the result shows its own beginning. */
  readonly call?: string | undefined;
  /** In code points, 200 unless given. */
  readonly limit?: number;
}

/** An entry as one line of plain text that any terminal, page or log can show. Total: stored bodies may have any shape. */
export function describeEntry(entry: SessionTreeEntry, options: DescribeOptions = {}): string {
  const describe = descriptions[entry.type] as ((entry: SessionTreeEntry, call?: string) => string) | undefined;
  return plainLine(describe ? describe(entry, options.call) : `[${entry.type}]`, options.limit);
}

type Descriptions = {
  readonly [T in SessionTreeEntry["type"]]: (entry: Extract<SessionTreeEntry, { type: T }>, call?: string) => string;
};

const descriptions: Descriptions = {
  message: ({ message }, call) => describeMessage(message, call),
  compaction: (entry) => `[compaction${tokens(entry)}] ${storedText(entry.summary)}`,
  branch_summary: ({ summary }) => `[branch summary] ${storedText(summary)}`,
  custom_message: ({ customType, content }) => `[${customType}] ${contentText(content)}`,
  custom: ({ customType }) => `[custom: ${customType}]`,
  model_change: ({ provider, modelId, model }) => `[model: ${provider && modelId ? `${provider}/${modelId}` : model}]`,
  thinking_level_change: ({ thinkingLevel }) => `[thinking: ${storedText(thinkingLevel)}]`,
  active_tools_change: ({ activeToolNames }) => `[tools: ${list(activeToolNames) || "none"}]`,
  context_edit: (entry) => `[context ${edit(entry)}: ${entry.targetId}]`,
  session_init: ({ task }) => `[session start] ${storedText(task)}`,
  ttsr_injection: ({ injectedRules }) => `[rules: ${list(injectedRules)}]`,
  reset_boundary: () => "[context reset]",
  label: ({ label }) => (storedText(label).trim() ? `[label: ${label}]` : "[label cleared]"),
  session_info: ({ name }) => (storedText(name).trim() ? `[name: ${name}]` : "[name cleared]"),
  leaf: ({ targetId }) => `[leaf: ${targetId ?? "before the first entry"}]`,
  usage: ({ kind, provider, model }) => `[usage: ${storedText(kind)}, ${storedText(provider)}/${storedText(model)}]`,
  model_usage: ({ purpose, provider, model }) =>
    `[usage: ${storedText(purpose)}, ${storedText(provider)}/${storedText(model)}]`,
  credential_pin: ({ provider }) => `[account: ${storedText(provider)}]`,
  title_change: ({ title }) => `[title: ${storedText(title)}]`,
  damaged: ({ originalType }) => `[damaged ${storedText(originalType)}]`,
};

function describeMessage(message: AgentMessage, call?: string): string {
  switch (message.role) {
    case "assistant":
      return describeReply(message);
    case "toolResult":
      return describeResult(message, call);
    case "bashExecution":
      return `[bash: ${messageText(message)}]`;
    case "custom":
      return `[${storedText(message.customType)}] ${messageText(message)}`;
    case "system":
      return `[system prompt] ${messageText(message)}`;
    default:
      return messageText(message);
  }
}

function describeReply(message: AssistantMessage): string {
  const words = messageText(message);
  if (words.trim() !== "") return words;
  if (message.stopReason === "aborted") return "(aborted)";
  const failure = storedText(message.errorMessage);
  if (failure !== "") return `(error: ${failure})`;
  return toolCallsOf(message).map(describeToolCall).join(" ") || "(no content)";
}

function describeResult(message: ToolResultMessage, call?: string): string {
  const outcome = message.isError ? " failed" : "";
  return call ? call + outcome : `[${storedText(message.toolName)}]${outcome} ${messageText(message)}`;
}

function tokens({ tokensBefore }: CompactionEntry): string {
  if (typeof tokensBefore !== "number") return "";
  return tokensBefore < 1000 ? `: ${tokensBefore} tokens` : `: ${Math.round(tokensBefore / 1000)}k tokens`;
}

function edit({ replacement }: ContextEditEntry): string {
  return replacement === null ? "omit" : "replace";
}

function list(names: unknown): string {
  return Array.isArray(names) ? names.join(", ") : "";
}
