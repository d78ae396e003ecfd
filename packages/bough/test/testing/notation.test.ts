import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { entriesOf, entriesOfTree, expand, headsOf, records, tree } from "../../src/testing/index.ts";
import { sharedPath } from "../support/shared.ts";

const faults = sharedPath("reference", "faults.md");

test("each line is one record, a second apart", () => {
  const lines = expand('H(cwd:/w)\n\n  U(u1,-,"a, \\"b\\" (c)")\nA(a1,u1,"d",usage:12,cost:0.5)\n').split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[3]).toBe("");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    type: "session",
    version: 3,
    id: "s1",
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "/w",
  });
  expect(JSON.parse(lines[1] ?? "")).toEqual({
    type: "message",
    id: "u1",
    parentId: null,
    timestamp: "2026-01-01T00:00:01.000Z",
    message: {
      role: "user",
      content: [{ type: "text", text: 'a, "b" (c)' }],
      timestamp: Date.UTC(2026, 0, 1, 0, 0, 1),
    },
  });
  expect(headsOf('A(a1,u1,"d",usage:12,cost:0.5)')[0]).toMatchObject({
    parentId: "u1",
    role: "assistant",
    usage: { input: 12, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0.5 },
  });
});

test.each([
  ["C(c1,u1,k1,k2)", { message: { stopReason: "toolUse", content: [{ id: "k1" }, { id: "k2", name: "sh" }] } }],
  ["C(c1,u1,k1,name:read,stop:aborted)", { message: { stopReason: "aborted", content: [{ name: "read" }] } }],
  ['R(r1,c1,k1,"out")', { message: { role: "toolResult", toolCallId: "k1", content: [{ text: "out" }] } }],
  ['K(p1,a1,u1,"S")', { type: "compaction", firstKeptEntryId: "u1", summary: "S" }],
  ['B(b1,a1,a2,"S")', { type: "branch_summary", fromId: "a2", summary: "S" }],
  ['L(l1,a1,u1,"x")', { type: "label", targetId: "u1", label: "x" }],
  ['N(n1,-,"job")', { type: "session_info", name: "job", parentId: null }],
  ['M(m1,-,"acme/large/v2")', { type: "model_change", provider: "acme", modelId: "large/v2" }],
  ['X(x1,-,"st",{"v":[1,2]})', { type: "custom", customType: "st", data: { v: [1, 2] } }],
  ["P(l1,a1,-)", { type: "leaf", targetId: null, parentId: "a1" }],
  ['U(u1,-,"5 chars",ts:+600)', { timestamp: "2026-01-01T00:10:00.000Z", message: { content: [{ text: "lorem" }] } }],
  ['A(a1,-,"x",thinking:sig)', { message: { content: [{ thinkingSignature: "sig" }, { text: "x" }] } }],
])("%s is that record", (line, expected) => {
  expect(records(line)).toMatchObject([expected]);
});

test("unknown usage is absent", () => {
  const [entry] = entriesOf('A(a1,-,"x",usage:none)');
  expect((entry as { message?: object } | undefined)?.message).not.toHaveProperty("usage");
});

test("what is no record is refused", () => {
  expect(() => expand("Z(a)")).toThrow(SyntaxError);
  expect(() => expand("U a")).toThrow(SyntaxError);
});

test.skipIf(faults === undefined)("every block of the fault reports expands (skipped without the reports)", () => {
  const blocks = readFileSync(faults as string, "utf8").matchAll(/^```seq\n(.*?)^```$/gms);
  const expanded = Array.from(blocks, ([, block]) => records(block as string));
  expect(expanded.length).toBeGreaterThan(50);
  for (const block of expanded) expect(block.every((record) => typeof record.type === "string")).toBe(true);
});

test("a drawing is a chain with side branches in parentheses", () => {
  const parents = Object.fromEntries(tree("a b(c d)(e) f - g").map((head) => [head.id, head.parentId]));
  expect(parents).toEqual({ a: null, b: "a", c: "b", d: "c", e: "b", f: "b", g: null });
});

test("a drawing takes other types and targets", () => {
  const entries = entriesOfTree("u1 a1 l1:label>u1 p1>a1 p2>- x:custom");
  expect(entries).toMatchObject([
    { type: "message", message: { role: "user" } },
    { type: "message", message: { role: "assistant" } },
    { type: "label", targetId: "u1", label: "l1", parentId: "a1" },
    { type: "leaf", targetId: "a1" },
    { type: "leaf", targetId: null },
    { type: "custom", customType: "note", parentId: "p2" },
  ]);
});
