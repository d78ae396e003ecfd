import {
  anything,
  count,
  flag,
  kind,
  list,
  mapOf,
  name,
  number,
  oneOf,
  optional,
  orNull,
  type Rule,
  record,
  text,
  textOr,
} from "./rule.ts";

const cost = record(optionalCounts("input", "output", "cacheRead", "cacheWrite", "total"));

/** A figure that is not known is left out; it does not become zero. */
export const usage = record({
  ...optionalCounts("input", "output", "cacheRead", "cacheWrite", "totalTokens"),
  cost: optional(cost),
});

const block = {
  text: record({ text, textSignature: optional(text) }),
  image: record({ data: text, mimeType: text }),
  thinking: record({ thinking: text, thinkingSignature: optional(text), redacted: optional(flag) }),
  toolCall: record({ id: name, name, arguments: record({}), thoughtSignature: optional(text) }),
};

const shown = list(oneOf("type", { text: block.text, image: block.image }));
const said = list(oneOf("type", { text: block.text, thinking: block.thinking, toolCall: block.toolCall }));

export const userContent = textOr(shown);

const stopReason = kind("a reason why it stopped, not pending", (value) => {
  return typeof value === "string" && value !== "" && value !== "pending";
});

export const systemMessage = record({
  role: kind("the role system", (value) => value === "system"),
  content: textOr(list(oneOf("type", { text: block.text }))),
  sections: optional(mapOf(orNull(text))),
  toolsAdded: optional(list(anything)),
  toolsRemoved: optional(list(anything)),
  timestamp: number,
});

const stored: Readonly<Record<string, Rule>> = {
  user: record({ content: userContent, timestamp: number }),
  assistant: record({
    content: said,
    api: text,
    provider: text,
    model: text,
    usage,
    stopReason,
    errorMessage: optional(text),
    timestamp: number,
  }),
  toolResult: record({
    toolCallId: name,
    toolName: text,
    content: shown,
    isError: flag,
    usage: optional(usage),
    timestamp: number,
  }),
  system: systemMessage,
  bashExecution: record({
    command: text,
    output: text,
    exitCode: optional(orNull(number)),
    cancelled: flag,
    truncated: flag,
    fullOutputPath: optional(text),
    excludeFromContext: optional(flag),
    timestamp: number,
  }),
  custom: record({ customType: name, content: userContent, display: flag, timestamp: number }),
};

export const storedMessage = oneOf("role", stored);

/** Summaries are made when a context is built; only a kept tail may hold them. */
export const contextMessage = oneOf("role", {
  ...stored,
  branchSummary: record({ summary: text, fromId: text, timestamp: number }),
  compactionSummary: record({ summary: text, tokensBefore: count, timestamp: number }),
});

function optionalCounts(...names: readonly string[]): Readonly<Record<string, Rule>> {
  return Object.fromEntries(names.map((member) => [member, optional(count)]));
}
