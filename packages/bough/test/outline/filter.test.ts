import { describe, expect, test } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { headOf } from "../../src/entry/head.ts";
import { isShown, type OutlineFilter, outlineFilters, reticenceOf } from "../../src/outline/index.ts";
import { call, entry, reply, result, treeOf, user } from "./tree-of.ts";

const history: readonly SessionTreeEntry[] = [
  user("user", null),
  call("call", "user"),
  result("result", "call"),
  reply("reply", "result"),
  reply("aborted", "reply", [], { stopReason: "aborted" }),
  reply("failed", "aborted", [], { stopReason: "error" }),
  reply("thinking", "failed", [{ type: "thinking", thinking: "hm" }]),
  entry("compaction", "thinking", { type: "compaction", summary: "s", tokensBefore: 1 }),
  entry("summary", "compaction", { type: "branch_summary", fromId: "root", summary: "s" }),
  entry("note", "summary", { type: "custom_message", customType: "n", content: "n", display: true }),
  entry("secret", "note", { type: "custom_message", customType: "n", content: "n", display: false }),
  entry("custom", "secret", { type: "custom", customType: "c" }),
  entry("model", "custom", { type: "model_change", provider: "p", modelId: "m" }),
  entry("level", "model", { type: "thinking_level_change", thinkingLevel: "high" }),
  entry("tools", "level", { type: "active_tools_change", activeToolNames: [] }),
  entry("edit", "tools", { type: "context_edit", targetId: "user", replacement: null }),
  entry("init", "edit", { type: "session_init", systemPrompt: "", task: "", tools: [] }),
  entry("rules", "init", { type: "ttsr_injection", injectedRules: [] }),
  entry("reset", "rules", { type: "reset_boundary" }),
  entry("mode", "reset", { type: "mode_change" }),
  entry("tier", "mode", { type: "service_tier_change" }),
  entry("stranger", "tier", { type: "of_tomorrow" }),
  entry("broken", "stranger", { type: "damaged", originalType: "message" }),
  entry("leaf", "reply", { type: "leaf", targetId: "reply" }),
  entry("label", "reply", { type: "label", targetId: "user", label: "start" }),
  entry("name", "reply", { type: "session_info", name: "n" }),
  entry("title", "reply", { type: "title_change", title: "n" }),
  entry("usage", "reply", { type: "usage", kind: "k", provider: "p", model: "m", usage: {} }),
  entry("credential", "reply", { type: "credential_pin" }),
];

function shown(filter: OutlineFilter, leaf = "stranger"): string[] {
  const tree = treeOf(history);
  return history
    .filter((stored, position) =>
      isShown(filter, {
        head: headOf(stored, position),
        reticence: reticenceOf(stored),
        isLeaf: stored.id === leaf,
        isLabeled: tree.labelOf(stored.id) !== undefined,
      }),
    )
    .map(({ id }) => id);
}

const conversation = [
  "user",
  "result",
  "reply",
  "aborted",
  "failed",
  "compaction",
  "summary",
  "note",
  "stranger",
  "broken",
];

describe("the filters", () => {
  test("pi-191 omp-118 default shows the conversation and what it doesn't know", () => {
    expect(shown("default")).toEqual(conversation);
  });

  test("pi-191 no-tools is default without tool results", () => {
    expect(shown("no-tools")).toEqual(conversation.filter((id) => id !== "result"));
  });

  test("pi-191 user-only shows what the user said", () => {
    expect(shown("user-only")).toEqual(["user"]);
  });

  test("pi-191 pi-196 labeled-only shows what carries a label now", () => {
    expect(shown("labeled-only")).toEqual(["user"]);
  });

  test("UI-08 pi-191 all shows every entry", () => {
    expect(shown("all")).toEqual(history.map(({ id }) => id));
  });

  test("pi-192 omp-119 a reply without a word is shown where the conversation stands", () => {
    expect(shown("default", "call")).toContain("call");
    expect(shown("default", "thinking")).toContain("thinking");
    expect(shown("default", "secret")).not.toContain("secret");
  });

  test("five filters exist", () => {
    expect(outlineFilters).toEqual(["default", "no-tools", "user-only", "labeled-only", "all"]);
  });
});
