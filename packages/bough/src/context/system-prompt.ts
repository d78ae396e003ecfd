import type { AgentMessage, SystemMessage } from "../entry/message.ts";

/**
 * The prompt that stored system messages add up to, as pi 1.6 reads them: every message's own text in order, then the
 * named sections as they stand after the last patch (null removes one, a replaced one keeps its place), with blank lines
 * between. Undefined if nothing is left.
 */
export function replaySystemPrompt(messages: readonly AgentMessage[]): string | undefined {
  const texts: string[] = [];
  const sections = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "system") continue;
    texts.push(textOf(message.content));
    for (const [name, text] of Object.entries(message.sections ?? {})) {
      if (typeof text === "string") sections.set(name, text);
      else sections.delete(name);
    }
  }
  return [...texts, ...sections.values()].filter((text) => text.trim() !== "").join("\n\n") || undefined;
}

function textOf(content: SystemMessage["content"]): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (typeof block?.text === "string" ? [block.text] : [])).join("\n");
}
