import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { headOf } from "../../src/entry/head.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

/** An entry in short: `entry("u1", null, { type: "message", … })`. */
export function entry(id: string, parentId: string | null, rest: Record<string, unknown>): SessionTreeEntry {
  return { id, parentId, timestamp, ...rest } as unknown as SessionTreeEntry;
}

export function user(id: string, parentId: string | null, text = id): SessionTreeEntry {
  return entry(id, parentId, { type: "message", message: { role: "user", content: text, timestamp: 0 } });
}

export function reply(id: string, parentId: string | null, content: unknown = id, rest: object = {}): SessionTreeEntry {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return entry(id, parentId, {
    type: "message",
    message: { role: "assistant", content: blocks, stopReason: "stop", timestamp: 0, ...rest },
  });
}

export function call(id: string, parentId: string, name = "read", args: object = { path: "a.ts" }): SessionTreeEntry {
  const content = [{ type: "toolCall", id: `call-${id}`, name, arguments: args }];
  return reply(id, parentId, content, { stopReason: "toolUse" });
}

export function result(id: string, parentId: string, text = "ok", toolName = "read"): SessionTreeEntry {
  const content = [{ type: "text", text }];
  const message = {
    role: "toolResult",
    toolCallId: `call-${parentId}`,
    toolName,
    content,
    isError: false,
    timestamp: 0,
  };
  return entry(id, parentId, { type: "message", message });
}

export function treeOf(entries: readonly SessionTreeEntry[]): SessionTree {
  const tree = new SessionTree();
  for (const [position, stored] of entries.entries()) tree.add(headOf(stored, position));
  return tree;
}
