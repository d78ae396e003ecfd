import type { ToolResultMessage } from "bough";
import { jsonText, jsonValue } from "bough/format";

export interface ToolOutcome {
  readonly toolCallId: string;
  readonly toolName: string;
  /** As a tool returned it, whatever that is. */
  // biome-ignore lint/suspicious/noExplicitAny: tools are anybody's
  readonly result: any;
  readonly isError: boolean;
  readonly durationMs?: number;
}

/** What is kept of what a tool returned: content as it is, the rest as far as JSON can say it. */
export function resultMessage({ toolCallId, toolName, result, isError, durationMs }: ToolOutcome): ToolResultMessage {
  const details = plain(result?.details);
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: result?.content ?? [],
    ...(details !== undefined && { details }),
    ...(result?.usage && { usage: plain(result.usage) }),
    isError,
    ...(durationMs !== undefined && { durationMs }),
    timestamp: Date.now(),
  };
}

/** What JSON keeps of a value; undefined if nothing. */
export function plain<T>(value: T): T {
  try {
    return (jsonValue(jsonText(value)) ?? undefined) as T;
  } catch {
    return undefined as T;
  }
}
