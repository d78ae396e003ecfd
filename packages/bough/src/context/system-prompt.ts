import type { AgentMessage, SystemMessage } from "../entry/message.ts";

/**
 * The prompt that stored system messages add up to, as pi 1.6 reads them: every message's own text in order, then the
 * named sections as they stand after the last patch (null removes one, a replaced one keeps its place), with blank lines
 * between. Undefined if nothing is left.
 */
export function replaySystemPrompt(messages: readonly AgentMessage[]): string | undefined {
  const { texts, sections } = foldPrompt(messages);
  return [...texts, ...sections.values()].filter((text) => text.trim() !== "").join("\n\n") || undefined;
}

/** One system message that says what all of them together say, tools included; undefined if there are none. */
export function joinedSystemMessage(messages: readonly AgentMessage[]): SystemMessage | undefined {
  const stored = messages.filter((message) => message.role === "system");
  const last = stored.at(-1);
  if (last === undefined || stored.length === 1) return last;
  const { texts, sections, tools } = foldPrompt(stored);
  return {
    role: "system",
    content: texts.filter((text) => text.trim() !== "").join("\n\n"),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: last.timestamp,
  };
}

interface Prompt {
  readonly texts: readonly string[];
  readonly sections: ReadonlyMap<string, string>;
  /** By name. */
  readonly tools: ReadonlyMap<unknown, unknown>;
}

function foldPrompt(messages: readonly AgentMessage[]): Prompt {
  const texts: string[] = [];
  const sections = new Map<string, string>();
  const tools = new Map<unknown, unknown>();
  for (const message of messages) {
    if (message.role !== "system") continue;
    texts.push(textOf(message.content));
    for (const [name, text] of Object.entries(message.sections ?? {})) {
      if (typeof text === "string") sections.set(name, text);
      else sections.delete(name);
    }
    for (const tool of listOf(message.toolsRemoved)) tools.delete(nameOf(tool));
    for (const tool of listOf(message.toolsAdded)) tools.set(nameOf(tool), tool);
  }
  return { texts, sections, tools };
}

function listOf(stored: unknown): readonly unknown[] {
  return Array.isArray(stored) ? stored : [];
}

function nameOf(tool: unknown): unknown {
  return typeof tool === "object" && tool !== null && "name" in tool ? tool.name : tool;
}

function textOf(content: SystemMessage["content"]): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (typeof block?.text === "string" ? [block.text] : [])).join("\n");
}
