import { expect, test } from "vitest";
import { assistant, completeMessage, toolResult, user } from "../../src/entry/build.ts";
import type { MessageInput } from "../../src/entry/message.ts";
import { zeroUsage } from "../../src/entry/usage.ts";
import { validateDraft } from "../../src/entry/validate.ts";

const call = { type: "toolCall", id: "k1", name: "sh", arguments: {} } as const;

test("a user message keeps its text or its blocks", () => {
  expect(completeMessage(user("hi"), 7)).toEqual({ role: "user", content: "hi", timestamp: 7 });
  expect(user([{ type: "text", text: "hi" }]).content).toEqual([{ type: "text", text: "hi" }]);
});

test("a reply gets what a provider would have said", () => {
  expect(completeMessage(assistant("yes"), 7)).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "yes" }],
    api: "unknown",
    provider: "unknown",
    model: "unknown",
    usage: zeroUsage,
    stopReason: "stop",
    timestamp: 7,
  });
  expect(completeMessage(assistant([call]), 7)).toMatchObject({ stopReason: "toolUse" });
});

test("what is given is kept", () => {
  const more = { provider: "acme", model: "large", stopReason: "length", timestamp: 3, errorMessage: "cut" };
  expect(completeMessage(assistant("yes", more), 7)).toMatchObject(more);
});

test("undefined hides no default", () => {
  const input = { ...assistant("yes"), usage: undefined, timestamp: undefined } as unknown as MessageInput;
  expect(completeMessage(input, 7)).toMatchObject({ usage: zeroUsage, timestamp: 7 });
});

test("a tool's result is no error unless it says so", () => {
  expect(completeMessage(toolResult("k1", "sh", "ok"), 7)).toEqual({
    role: "toolResult",
    toolCallId: "k1",
    toolName: "sh",
    content: [{ type: "text", text: "ok" }],
    isError: false,
    timestamp: 7,
  });
  expect(toolResult("k1", "sh", "no", { isError: true, details: { code: 1 } })).toMatchObject({ isError: true });
});

test("text given as a reply's or a result's content becomes a block", () => {
  for (const built of [assistant("x"), toolResult("k1", "sh", "x")]) {
    const input = { ...built, content: "x" } as unknown as MessageInput;
    expect(completeMessage(input, 7).role === built.role && completeMessage(input, 7)).toMatchObject({
      content: [{ type: "text", text: "x" }],
    });
  }
});

test("what is built is valid", () => {
  for (const input of [user("hi"), assistant([call]), toolResult("k1", "sh", "ok")]) {
    expect(() => validateDraft({ type: "message", message: completeMessage(input, 7) })).not.toThrow();
  }
});
