import type { AgentMessage, SystemMessage } from "../entry/message.ts";

/**
 * The prompt that stored system messages add up to, as pi 1.6 reads them: every message's own text in order, then the
 * named sections as they stand after the last patch (null removes one, a replaced one keeps its place), with blank lines
 * between. Undefined if nothing is left.
 */
export function replaySystemPrompt(messages: readonly AgentMessage[]): string | undefined {
  return promptOf(messages).text;
}

/** One system message that says what all of them together say, tools included; undefined if there are none. */
export function joinedSystemMessage(messages: readonly AgentMessage[]): SystemMessage | undefined {
  const stored = messages.filter((message) => message.role === "system");
  const last = stored.at(-1);
  if (last === undefined || stored.length === 1) return last;
  return { ...promptOf(stored).joined(), timestamp: last.timestamp };
}

function promptOf(messages: readonly AgentMessage[]): PromptFold {
  const prompt = new PromptFold();
  for (const message of messages) prompt.add(message);
  return prompt;
}

/** What system messages say, one after the other; others say nothing. */
export class PromptFold {
  readonly #texts: string[] = [];
  readonly #sections = new Map<string, string>();
  /** By name. */
  readonly #tools = new Map<unknown, unknown>();
  /** What all that is said adds up to, once somebody asked. */
  #said: { readonly text: string | undefined } | undefined;

  add(message: AgentMessage): void {
    if (message.role === "system") this.#add(message);
  }

  /** As `replaySystemPrompt`. */
  get text(): string | undefined {
    this.#said ??= { text: [...this.#texts, ...this.#sections.values()].filter(isSaid).join("\n\n") || undefined };
    return this.#said.text;
  }

  joined(): Omit<SystemMessage, "timestamp"> {
    return {
      role: "system",
      content: this.#texts.filter(isSaid).join("\n\n"),
      ...(this.#sections.size > 0 && { sections: Object.fromEntries(this.#sections) }),
      ...(this.#tools.size > 0 && { toolsAdded: [...this.#tools.values()] }),
    };
  }

  #add(message: SystemMessage): void {
    this.#said = undefined;
    this.#texts.push(textOf(message.content));
    for (const [name, text] of Object.entries(message.sections ?? {})) {
      if (typeof text === "string") this.#sections.set(name, text);
      else this.#sections.delete(name);
    }
    for (const tool of listOf(message.toolsRemoved)) this.#tools.delete(nameOf(tool));
    for (const tool of listOf(message.toolsAdded)) this.#tools.set(nameOf(tool), tool);
  }
}

function isSaid(text: string): boolean {
  return text.trim() !== "";
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
