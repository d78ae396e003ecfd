import { describe, expect, test } from "vitest";
import type { EntryDraft, SessionTreeEntry } from "../../src/entry/entry.ts";
import { validateDraft, validateEntry } from "../../src/entry/validate.ts";
import { specimens } from "../../src/testing/specimens.ts";

const refusedAt = (field: string) =>
  expect.objectContaining({ code: "invalid_entry", details: expect.objectContaining({ field }) });
const draft = (value: object) => value as EntryDraft;

const user = { role: "user", content: "hi", timestamp: 1 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { total: 0 } };
const reply = {
  ...{ role: "assistant", content: [{ type: "text", text: "yes" }], api: "a", provider: "p", model: "m" },
  ...{ usage, stopReason: "stop", timestamp: 1 },
};
const result = { role: "toolResult", toolCallId: "k", toolName: "sh", content: [], isError: false, timestamp: 1 };
const compaction = { type: "compaction", summary: "s", tokensBefore: 1 };
const message = (value: unknown) => ({ type: "message", message: value });

test("every type of entry and of message passes", () => {
  for (const entry of specimens()) expect(() => validateEntry(entry)).not.toThrow();
});

test("pi-35 of a type bough doesn't know only the base is looked at", () => {
  const entry = { type: "from_the_future", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00Z", x: 1 };
  expect(() => validateEntry(entry as unknown as SessionTreeEntry)).not.toThrow();
  expect(() => validateDraft(draft({ type: "from_the_future" }))).not.toThrow();
});

describe("pi-3 the base is checked", () => {
  const whole = { type: "reset_boundary", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
  test.each<[string, unknown]>([
    ["type", ""],
    ["type", "session"],
    ["type", "damaged"],
    ["type", 1],
    ["id", ""],
    ["id", undefined],
    ["parentId", undefined],
    ["parentId", 3],
    ["parentId", ""],
    ["timestamp", "yesterday"],
    ["timestamp", "2026-13-01T00:00:00Z"],
    ["timestamp", 1],
  ])("%s %j", (field, value) => {
    expect(() => validateEntry({ ...whole, [field]: value } as unknown as SessionTreeEntry)).toThrow(refusedAt(field));
  });
  test("a time in the year 10000 is a time", () => {
    expect(() =>
      validateEntry({ ...whole, timestamp: "+010000-01-01T00:00:00.000Z" } as SessionTreeEntry),
    ).not.toThrow();
  });
});

test("DL-11 text spread into an object is no message", () => {
  expect(() => validateDraft(draft(message(Object.assign({}, "plain text"))))).toThrow(refusedAt("message.role"));
});

test("a member that JSON would leave out is missing", () => {
  const hidden = Object.defineProperty({ ...user }, "role", { value: "user", enumerable: false });
  expect(() => validateDraft(draft(message(hidden)))).toThrow(refusedAt("message.role"));
  const blank = Object.defineProperty({ ...user }, "content", { value: "hi", enumerable: false });
  expect(() => validateDraft(draft(message(blank)))).toThrow(refusedAt("message.content"));
});

test("AP-03 a role that nobody knows is refused, and the known ones are named", () => {
  for (const role of ["tool_result", "toolresult", "developer", "__proto__", "toString", undefined]) {
    const attempt = () => validateDraft(draft(message({ ...user, role })));
    expect(attempt).toThrow(refusedAt("message.role"));
    expect(attempt).toThrow(
      expect.objectContaining({ details: { field: "message.role", reason: expect.stringContaining("toolResult") } }),
    );
  }
});

test("pi-64 a reply that is still pending is refused", () => {
  expect(() => validateDraft(draft(message({ ...reply, stopReason: "pending" })))).toThrow(
    refusedAt("message.stopReason"),
  );
});

describe("each field is checked where it is", () => {
  test.each<[string, object]>([
    ["message", { type: "message" }],
    ["message", message("text")],
    ["message.content", message({ ...user, content: null })],
    ["message.content", message({ ...user, content: { 0: "h" } })],
    ["message.content[0]", message({ ...user, content: ["hi"] })],
    ["message.content[1].text", message({ ...user, content: [{ type: "text", text: "a" }, { type: "text" }] })],
    ["message.content[0].type", message({ ...user, content: [{ type: "tool_use" }] })],
    ["message.content[0].mimeType", message({ ...user, content: [{ type: "image", data: "" }] })],
    ["message.timestamp", message({ ...user, timestamp: "now" })],
    ["message.content", message({ ...reply, content: "text" })],
    ["message.content[0].type", message({ ...reply, content: [{ type: "image", data: "", mimeType: "" }] })],
    [
      "message.content[0].id",
      message({ ...reply, content: [{ type: "toolCall", id: "", name: "sh", arguments: {} }] }),
    ],
    ["message.content[0].arguments", message({ ...reply, content: [{ type: "toolCall", id: "k", name: "sh" }] })],
    [
      "message.content[0].arguments",
      message({ ...reply, content: [{ type: "toolCall", id: "k", name: "sh", arguments: [] }] }),
    ],
    ["message.content[0].thinking", message({ ...reply, content: [{ type: "thinking", text: "hm" }] })],
    ["message.provider", message({ ...reply, provider: undefined })],
    ["message.usage", message({ ...reply, usage: undefined })],
    ["message.usage.input", message({ ...reply, usage: { ...usage, input: -1 } })],
    ["message.usage.cost.total", message({ ...reply, usage: { ...usage, cost: { total: "1" } } })],
    ["message.stopReason", message({ ...reply, stopReason: "" })],
    ["message.toolCallId", message({ ...result, toolCallId: "" })],
    ["message.isError", message({ ...result, isError: "no" })],
    ["message.content", message({ ...result, content: "text" })],
    ["message.role", message({ role: "branchSummary", summary: "s", fromId: "a", timestamp: 1 })],
    ["message.role", message({ role: "compactionSummary", summary: "s", tokensBefore: 1, timestamp: 1 })],
    ["message.sections.tools", message({ role: "system", content: "", sections: { tools: 1 }, timestamp: 1 })],
    ["message.cancelled", message({ role: "bashExecution", command: "", output: "", truncated: false, timestamp: 1 })],
    ["message.display", message({ role: "custom", customType: "x", content: "", display: "yes", timestamp: 1 })],
    ["native.format", { ...message(user), native: { value: 1 } }],
    ["summary", { ...compaction, summary: undefined }],
    ["tokensBefore", { ...compaction, tokensBefore: Number.NaN }],
    ["firstKeptEntryId", { ...compaction, firstKeptEntryId: null }],
    ["retainedTail[0].role", { ...compaction, retainedTail: [{ role: "msg_1" }] }],
    ["retainedTail[0]", { ...compaction, retainedTail: ["msg_1"] }],
    ["state.model.modelId", { ...compaction, state: { model: { provider: "p" } } }],
    ["fromHook", { ...compaction, fromHook: 1 }],
    ["fromId", { type: "branch_summary", fromId: null, summary: "" }],
    ["customType", { type: "custom", customType: "" }],
    ["display", { type: "custom_message", customType: "x", content: "", display: "true" }],
    ["content", { type: "custom_message", customType: "x", display: true }],
    ["provider", { type: "model_change", modelId: "m" }],
    ["thinkingLevel", { type: "thinking_level_change", thinkingLevel: null }],
    ["activeToolNames[1]", { type: "active_tools_change", activeToolNames: ["a", 1] }],
    ["replacement.content", { type: "context_edit", targetId: "a", replacement: {} }],
    ["tools", { type: "session_init", systemPrompt: "", task: "", tools: "read" }],
    ["injectedRules", { type: "ttsr_injection" }],
    ["targetId", { type: "label", label: "x" }],
    ["label", { type: "label", targetId: "a", label: 1 }],
    ["name", { type: "session_info", name: null }],
    ["targetId", { type: "leaf" }],
    ["kind", { type: "usage", provider: "p", model: "m", usage }],
    ["purpose", { type: "model_usage", purpose: 5 }],
    ["title", { type: "title_change" }],
    ["hash", { type: "credential_pin", provider: "acme" }],
  ])("%s of %j", (field, value) => {
    expect(() => validateDraft(draft(value))).toThrow(refusedAt(field));
  });
});

test("a kept tail may hold the summaries a context is made of", () => {
  const retainedTail = [{ role: "branchSummary", summary: "s", fromId: "a", timestamp: 1 }, user];
  expect(() => validateDraft(draft({ ...compaction, retainedTail }))).not.toThrow();
});

test("members that nobody knows are nobody's business", () => {
  expect(() => validateDraft(draft({ ...message({ ...user, own: 1 }), more: [] }))).not.toThrow();
});
