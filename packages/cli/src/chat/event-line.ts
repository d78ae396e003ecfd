import type { HarnessEvent } from "@bough/harness";
import { safeJson } from "../write-json.ts";

/** An event as a line of JSON. What grows is told by what was added, not repeated whole each time. */
export function eventLine(event: HarnessEvent): string {
  if (event.type !== "message_update") return safeJson(withError(event));
  const { partial: _, ...change } = event.assistantMessageEvent as { readonly partial?: unknown };
  return safeJson({ type: event.type, assistantMessageEvent: change });
}

function withError(event: HarnessEvent): object {
  return event.type === "hook_error" ? { ...event, error: event.error.message } : event;
}
