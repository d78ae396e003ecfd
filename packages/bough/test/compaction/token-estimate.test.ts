import fc from "fast-check";
import { expect, test } from "vitest";
import { type AgentMessage, estimateTokens } from "../../src/index.ts";
import { storedMessage } from "../context/histories.ts";

const tokens = (message: object) => estimateTokens(message as AgentMessage);
const text = (length: number) => ({ type: "text", text: "x".repeat(length) });

test("pi-119 four characters are a token, five are two, an image is 1,200", () => {
  expect(tokens({ role: "user", content: "four" })).toBe(1);
  expect(tokens({ role: "user", content: [text(5)] })).toBe(2);
  expect(tokens({ role: "user", content: [{ type: "image", data: "A", mimeType: "image/png" }] })).toBe(1200);
});

test("thinking, calls with their arguments, commands with their output and summaries count", () => {
  const call = { type: "toolCall", id: "long id that is not counted", name: "read", arguments: { path: "a" } };
  expect(tokens({ role: "assistant", content: [{ type: "thinking", thinking: "12345678" }, call] })).toBe(6);
  expect(tokens({ role: "bashExecution", command: "1234", output: "1234" })).toBe(2);
  expect(tokens({ role: "bashExecution", command: "1234", output: "1234", excludeFromContext: true })).toBe(0);
  expect(tokens({ role: "compactionSummary", summary: "12345678" })).toBe(2);
  expect(tokens({ role: "system", content: "1234", sections: { a: "1234", b: null }, toolsAdded: [1] })).toBe(3);
  expect(tokens({ role: "hookMessage", content: "1234" })).toBe(0);
});

test("any stored message has an estimate", () => {
  fc.assert(
    fc.property(storedMessage, (message) => {
      expect(Number.isSafeInteger(tokens(message))).toBe(true);
      expect(tokens(message)).toBeGreaterThanOrEqual(0);
    }),
  );
});
