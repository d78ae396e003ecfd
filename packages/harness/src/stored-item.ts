import type { AgentMessage, BatchItem } from "bough";
import type { Hooks } from "./hooks/hooks.ts";
import { messageIn } from "./input.ts";

/** A child that was stored, or is about to be, under this id. */
export type StoredItem = BatchItem & { readonly id: string };

/** Tells of stored children, messages as messages. Resolves with the messages among them. */
export async function tellStored(hooks: Hooks, items: readonly StoredItem[]): Promise<readonly AgentMessage[]> {
  const now = new Date().toISOString();
  const messages: AgentMessage[] = [];
  for (const item of items) {
    const message = item.kind === "child" ? messageIn(item.draft, now) : undefined;
    if (!message) continue;
    messages.push(message);
    await hooks.emit({ type: "message_start", message });
    await hooks.emit({ type: "message_end", message, entryId: item.id });
  }
  return messages;
}
