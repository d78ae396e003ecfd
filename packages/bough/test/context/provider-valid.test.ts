import { expect, test } from "vitest";
import { refusal } from "./provider-valid.ts";

const text = [{ type: "text", text: "x" }];
const user = { role: "user", content: "x", timestamp: 1 };
const call = { type: "toolCall", id: "k1", name: "sh", arguments: {} };
const caller = { role: "assistant", content: [call], stopReason: "toolUse", timestamp: 1 };
const result = { role: "toolResult", toolCallId: "k1", toolName: "sh", content: text, isError: false, timestamp: 1 };

test("a plain conversation is accepted", () => {
  expect(refusal([])).toBeUndefined();
  expect(refusal([user, caller, result, { ...caller, content: text }])).toBeUndefined();
});

test.each([
  ["a reply first", [{ ...caller, content: text }]],
  ["a result without a call", [user, result]],
  ["a call without a result", [user, caller]],
  ["a call whose result comes late", [user, caller, user, result]],
  ["a second result", [user, caller, result, result]],
  ["another call's result", [user, caller, { ...result, toolCallId: "k2" }]],
  ["a repeated call id", [user, caller, result, caller, result]],
  ["a failed reply", [user, { ...caller, content: text, stopReason: "aborted" }]],
  ["an empty reply", [user, { ...caller, content: [] }]],
  ["an empty block", [user, { ...caller, content: [{ type: "text", text: " " }] }]],
  [
    "nothing but thinking",
    [user, { ...caller, content: [{ type: "thinking", thinking: "x", thinkingSignature: "s" }] }],
  ],
  ["unsigned thinking", [user, { ...caller, content: [{ type: "thinking", thinking: "x" }, ...text] }]],
  ["half an emoji", [{ ...user, content: "\ud83d" }]],
  ["an unresolved image", [{ ...user, content: [{ type: "image", data: "blob:sha256:00", mimeType: "image/png" }] }]],
  ["an unknown role", [user, { ...user, role: "custom" }]],
])("%s is refused", (_, messages) => {
  expect(refusal(messages)).toEqual(expect.any(String));
});
