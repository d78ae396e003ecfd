import { describe, expect, test } from "vitest";
import { describeEntry, describeToolCall } from "../../src/outline/index.ts";
import { call, entry, reply, result, user } from "./tree-of.ts";

function described(type: string, fields: object): string {
  return describeEntry(entry("id", null, { type, ...fields }));
}

function toolCall(name: string, args: Record<string, unknown>): string {
  return describeToolCall({ type: "toolCall", id: "k", name, arguments: args });
}

describe("describing entries", () => {
  test("words of users and replies stand for themselves", () => {
    expect(describeEntry(user("u", null, "hello\nthere"))).toBe("hello there");
    expect(
      describeEntry(
        reply("a", null, [
          { type: "thinking", thinking: "x" },
          { type: "text", text: "yes" },
        ]),
      ),
    ).toBe("yes");
    expect(
      describeEntry(
        entry("u", null, {
          type: "message",
          message: { role: "user", content: [{ type: "image", data: "", mimeType: "" }] },
        }),
      ),
    ).toBe("[image]");
  });

  test("replies without words say why", () => {
    expect(describeEntry(call("c", "u", "bash", { command: "npm test" }))).toBe("[bash: npm test]");
    expect(describeEntry(reply("a", null, [], { stopReason: "aborted", errorMessage: "x" }))).toBe("(aborted)");
    expect(describeEntry(reply("a", null, [], { stopReason: "error", errorMessage: "overloaded" }))).toBe(
      "(error: overloaded)",
    );
    expect(describeEntry(reply("a", null, []))).toBe("(no content)");
  });

  test("a tool result shows the call it answers, or else its own beginning", () => {
    const answered = toolCall("read", { path: "a.ts", offset: 10, limit: 11 });
    expect(describeEntry(result("r", "c"), { call: answered })).toBe("[read: a.ts:10-20]");
    expect(describeEntry(result("r", "c", "done"))).toBe("[read] done");
  });

  test("calls are told by what they are about", () => {
    expect(toolCall("read", { path: "a", limit: 5 })).toBe("[read: a:1-5]");
    expect(toolCall("read", { file_path: "a", offset: 3 })).toBe("[read: a:3]");
    expect(toolCall("edit", { path: "a", oldText: "x" })).toBe("[edit: a]");
    expect(toolCall("bash", { command: "x".repeat(60) })).toBe(`[bash: ${"x".repeat(49)}…]`);
    expect(toolCall("grep", { pattern: "foo", path: "src" })).toBe("[grep: foo in src]");
    expect(toolCall("deploy", { to: "prod" })).toBe('[deploy: {"to":"prod"}]');
    expect(toolCall("noop", {})).toBe("[noop]");
  });

  test("other entries are named in brackets", () => {
    expect(described("compaction", { summary: "so far", tokensBefore: 12_345 })).toBe(
      "[compaction: 12k tokens] so far",
    );
    expect(described("branch_summary", { summary: "tried x" })).toBe("[branch summary] tried x");
    expect(described("model_change", { provider: "p", modelId: "m" })).toBe("[model: p/m]");
    expect(described("model_change", { model: "p/m" })).toBe("[model: p/m]");
    expect(described("thinking_level_change", { thinkingLevel: "high" })).toBe("[thinking: high]");
    expect(described("label", { targetId: "x", label: "start" })).toBe("[label: start]");
    expect(described("label", { targetId: "x" })).toBe("[label cleared]");
    expect(described("context_edit", { targetId: "x", replacement: null })).toBe("[context omit: x]");
    expect(described("leaf", { targetId: null })).toBe("[leaf: before the first entry]");
    expect(described("model_usage", { purpose: "title", provider: "p", model: "m" })).toBe("[usage: title, p/m]");
    expect(described("credential_pin", { provider: "p", hash: "00" })).toBe("[account: p]");
    expect(described("of_tomorrow", {})).toBe("[of_tomorrow]");
  });

  test("bodies of any shape are described", () => {
    for (const message of [
      {},
      { role: "user" },
      { role: "assistant", content: [null, 3] },
      { role: "toolResult", content: {} },
    ]) {
      expect(typeof described("message", { message })).toBe("string");
    }
    for (const type of [
      "compaction",
      "branch_summary",
      "custom_message",
      "model_change",
      "active_tools_change",
      "label",
    ]) {
      expect(typeof described(type, {})).toBe("string");
    }
  });
});
