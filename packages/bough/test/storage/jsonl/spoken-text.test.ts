import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assistant, toolResult, user } from "../../../src/index.ts";
import { spokenText } from "../../../src/storage/jsonl/spoken-text.ts";
import { fileWith, header } from "../../session-manager/managers.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

function said(id: string, parentId: string | null, message: object): object {
  return { type: "message", id, parentId, timestamp, message };
}

test("is what users and models said on all branches, in file order", () => {
  const image = { type: "image", data: "", mimeType: "image/png" };
  const thinking = { type: "thinking", thinking: "hm" };
  const call = { type: "toolCall", id: "c", name: "read", arguments: { path: "a" } };
  const path = fileWith(
    header,
    said("a", null, user("one")),
    said("b", "a", { ...assistant(""), content: [thinking, { type: "text", text: "two" }, call] }),
    said("c", "b", toolResult("c", "read", "three")),
    { type: "custom_message", id: "d", parentId: "c", timestamp, customType: "x", content: "four", display: true },
    said("e", "a", { ...user(""), content: [{ type: "text", text: "five" }, image, { type: "text", text: "six" }] }),
    said("f", "e", user([])),
    { id: "g", parentId: "e", timestamp, message: assistant("seven"), type: "message" },
    { message: toolResult("c", "read", "eight"), ...said("h", "g", {}) },
    "no record",
  );
  appendFileSync(path, JSON.stringify(said("i", "g", user("nine"))));
  expect(spokenText(path)).toBe("one two five six seven nine");
});

test("is there for sessions of older versions", () => {
  const old = { type: "session", id: "s", timestamp, cwd: "/w", provider: "p", modelId: "m", thinkingLevel: "off" };
  const path = fileWith(old, { type: "message", timestamp, message: user("one") });
  expect(spokenText(path)).toBe("one");
});

test("rejects what is no session", () => {
  expect(() => spokenText("/nowhere/s.jsonl")).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(() => spokenText(fileWith("no record"))).toThrow(expect.objectContaining({ code: "invalid_session" }));
});
