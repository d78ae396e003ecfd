/** A message as all engines take it. */
export type Message = ReturnType<typeof userMessage> | ReturnType<typeof reply> | ReturnType<typeof toolResult>;

/** So many characters, a few of which have to be escaped. */
export function filler(length: number): string {
  let text = "";
  for (let line = 0; text.length < length; line++) {
    text += `line ${line}: "the quick brown fox" jumps\tover ${(line * 7919) % 1000} lazy dogs\n`;
  }
  return text.slice(0, length);
}

/** Replies and results in turn. */
export function numbered(number: number, text: string): Message {
  return number % 2 === 0 ? reply(number, text) : toolResult(number, text);
}

export function userMessage(content: string) {
  return { role: "user" as const, content, timestamp: 1_770_000_000_000 };
}

function reply(number: number, text: string) {
  return {
    role: "assistant" as const,
    content: [{ type: "text" as const, text }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: {
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      totalTokens: 10,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop" as const,
    timestamp: 1_770_000_000_000 + number,
  };
}

function toolResult(number: number, text: string) {
  return {
    role: "toolResult" as const,
    toolCallId: `call_${number}`,
    toolName: "bash",
    content: [{ type: "text" as const, text }],
    isError: false,
    timestamp: 1_770_000_000_000 + number,
  };
}
