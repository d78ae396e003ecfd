import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import type { AgentMessage } from "../../src/entry/message.ts";

const epoch = Date.UTC(2026, 0, 1);
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

/** Ends a chain of drafts: each gets the one before it as its parent, and a second of its own. */
export function chain(...drafts: readonly Draft[]): SessionTreeEntry[] {
  return drafts.map((draft, index) => placed(draft, index === 0 ? null : (drafts[index - 1] as Draft).id, index));
}

/** A draft anywhere in a tree. */
export function placed(draft: Draft, parentId: string | null, second = 0): SessionTreeEntry {
  const timestamp = new Date(epoch + second * 1000).toISOString();
  const entry = { ...draft, parentId, timestamp } as Record<string, unknown>;
  if (draft.type === "message" && entry.message) {
    entry.message = { timestamp: epoch + second * 1000, ...(entry.message as object) };
  }
  return entry as unknown as SessionTreeEntry;
}

export interface Draft {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

export function message(id: string, stored: unknown): Draft {
  return { type: "message", id, message: stored };
}

export function user(id: string, text = id): Draft {
  return message(id, { role: "user", content: [{ type: "text", text }] });
}

export function assistant(id: string, content: string | readonly unknown[] = id, fields: object = {}): Draft {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const reply = { role: "assistant", content: blocks, api: "acme", provider: "acme", model: "large", usage: zero };
  return message(id, { ...reply, stopReason: "stop", ...fields });
}

export function calls(id: string, callIds: readonly string[], fields: object = {}): Draft {
  const blocks = callIds.map((callId) => ({ type: "toolCall", id: callId, name: "sh", arguments: {} }));
  return assistant(id, blocks, { stopReason: "toolUse", ...fields });
}

export function result(id: string, toolCallId: string, text = id): Draft {
  const content = [{ type: "text", text }];
  return message(id, { role: "toolResult", toolCallId, toolName: "sh", content, isError: false });
}

export function compaction(id: string, firstKeptEntryId: string | undefined, fields: object = {}): Draft {
  const pointer = firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
  return { type: "compaction", id, summary: `summary ${id}`, tokensBefore: 1000, ...pointer, ...fields };
}

export function branchSummary(id: string, summary = id): Draft {
  return { type: "branch_summary", id, fromId: "root", summary };
}

export function model(id: string, name: string, fields: object = {}): Draft {
  const [provider, modelId] = name.split("/");
  return { type: "model_change", id, provider, modelId, model: name, ...fields };
}

export function edit(id: string, targetId: string, replacement: unknown): Draft {
  return { type: "context_edit", id, targetId, replacement };
}

export function custom(id: string, customType: string, data?: unknown): Draft {
  return { type: "custom", id, customType, data };
}

export function customMessage(id: string, content: unknown = id, fields: object = {}): Draft {
  return { type: "custom_message", id, customType: "note", content, display: true, ...fields };
}

export function reset(id: string): Draft {
  return { type: "reset_boundary", id };
}

/** Each message as one word: its text, its summary, or the ids of its calls. */
export function words(messages: readonly AgentMessage[]): string[] {
  return messages.map((stored) => {
    if ("summary" in stored) return stored.summary;
    if (stored.role === "bashExecution") return stored.command;
    if (typeof stored.content === "string") return stored.content;
    return stored.content
      .map((block) => ("text" in block ? block.text : "id" in block ? block.id : block.type))
      .join("+");
  });
}
