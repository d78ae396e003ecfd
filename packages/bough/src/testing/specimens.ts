import type { SessionTreeEntry } from "../entry/entry.ts";
import type { Usage } from "../entry/usage.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

const usage: Usage = {
  input: 10,
  output: 5,
  cacheRead: 3,
  cacheWrite: 2,
  totalTokens: 20,
  cost: { input: 0.1, output: 0.05, cacheRead: 0.003, cacheWrite: 0.02, total: 0.173 },
};

const bodies: readonly { readonly type: string; readonly [member: string]: unknown }[] = [
  { type: "message", message: { role: "user", content: "hello", timestamp: 1 } },
  {
    type: "message",
    message: {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
      timestamp: 2,
    },
  },
  {
    type: "message",
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "text", text: "yes" },
        { type: "toolCall", id: "k1", name: "read", arguments: { path: "a.ts" } },
      ],
      api: "messages",
      provider: "acme",
      model: "large",
      usage,
      stopReason: "toolUse",
      timestamp: 3,
    },
  },
  {
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: "k1",
      toolName: "read",
      content: [{ type: "text", text: "contents" }],
      details: { lines: 1 },
      isError: false,
      usage,
      timestamp: 4,
    },
  },
  { type: "message", message: { role: "system", content: "be brief", sections: { tools: null }, timestamp: 5 } },
  {
    type: "message",
    message: {
      role: "bashExecution",
      command: "ls",
      output: "a",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 6,
    },
  },
  { type: "message", message: { role: "custom", customType: "note", content: "n", display: false, timestamp: 7 } },
  { type: "message", message: { role: "user", content: "native", timestamp: 8 }, native: { format: "x", value: [1] } },
  { type: "model_change", provider: "acme", modelId: "large", model: "acme/large" },
  { type: "model_change", provider: "acme", modelId: "small", model: "acme/small", role: "smol" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "active_tools_change", activeToolNames: ["read", "bash"] },
  { type: "context_edit", targetId: "e0", replacement: { content: "edited" } },
  { type: "context_edit", targetId: "e1", replacement: null },
  { type: "session_init", systemPrompt: "s", task: "t", tools: ["read"], outputSchema: { type: "object" } },
  { type: "ttsr_injection", injectedRules: ["r1"] },
  { type: "reset_boundary" },
  { type: "compaction", summary: "so far", firstKeptEntryId: "e3", tokensBefore: 1000, tokensAfter: 10, usage },
  {
    type: "compaction",
    summary: "kept inline",
    retainedTail: [],
    tokensBefore: 5,
    details: { readFiles: [] },
    fromHook: true,
  },
  { type: "branch_summary", fromId: "e4", summary: "tried", usage },
  { type: "custom_message", customType: "progress", content: "half", display: true, details: { percent: 50 } },
  { type: "custom", customType: "bookkeeping", data: { deep: [{ er: null }] } },
  { type: "custom", customType: "bough.intent", data: {} },
  { type: "label", targetId: "e0", label: "start" },
  { type: "label", targetId: "e0" },
  { type: "session_info", name: "A name" },
  { type: "usage", kind: "warmup", provider: "acme", model: "large", usage },
  { type: "model_usage", purpose: "title", provider: "acme", model: "small", usage },
  { type: "title_change", title: "A title" },
  { type: "credential_pin", provider: "acme", hash: "00" },
  { type: "leaf", targetId: "e2" },
  { type: "leaf", targetId: null },
  { type: "from_the_future", answer: 42, nested: { kept: ["byte", "for", "byte"] } },
];

/** One chain that holds every type of entry, unknown ones and every role included. Made anew at each call. */
export function specimens(): SessionTreeEntry[] {
  return structuredClone(bodies).map(({ type, ...body }, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    return { type, id: `e${index}`, parentId, timestamp, ...body } as unknown as SessionTreeEntry;
  });
}
