import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import type { SessionHeader } from "../../src/entry/header.ts";
import { fromJulia, fromJuliaHeader, toJulia, toJuliaHeader } from "../../src/format/julia.ts";
import { specimens } from "../../src/testing/specimens.ts";
import { anyEntry } from "../support/any-entry.ts";
import { decodeFile, fileOf } from "../support/decode.ts";

const header =
  '{"type":"session","id":"meta_1","created_at":"2024-01-01T00:00:00Z","cwd":"/path","path":"/path/session.jsonl"}';
const document = [
  header,
  '{"type":"message","id":"msg_1","parent_id":null,"timestamp":"2024-01-01T00:00:01Z","message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}',
  '{"type":"thinking_level_change","id":"tl_1","parent_id":"msg_1","timestamp":"2024-01-01T00:00:02Z","thinking_level":"medium"}',
  '{"type":"model_change","id":"mc_1","parent_id":"tl_1","timestamp":"2024-01-01T00:00:03Z","provider":"openai","model_id":"gpt-4"}',
  '{"type":"compaction","id":"comp_1","parent_id":"mc_1","timestamp":"2024-01-01T00:00:04Z","summary":"Previous","first_kept_entry_id":"msg_3","tokens_before":100000,"tokens_after":50000}',
  '{"type":"branch_summary","id":"branch_1","parent_id":"comp_1","timestamp":"2024-01-01T00:00:05Z","from_id":"msg_3","summary":"Branch"}',
  '{"type":"active_tools_change","id":"tools_1","parent_id":"branch_1","timestamp":"2024-01-01T00:00:06Z","active_tool_names":["bash","read"]}',
  '{"type":"leaf","id":"leaf_1","parent_id":"tools_1","timestamp":"2024-01-01T00:00:07Z","target_id":"msg_5"}',
];

test("pi-4 MG-08 the document's example is read as a session to be migrated", () => {
  const { decoder, entries, diagnostics } = decodeFile(fileOf(...document));
  expect([decoder.version, decoder.access]).toEqual([1, "migrate"]);
  expect(decoder.header).toEqual({
    ...{ type: "session", version: 3, id: "meta_1", timestamp: "2024-01-01T00:00:00Z" },
    ...{ cwd: "/path", path: "/path/session.jsonl" },
  });
  expect(diagnostics).toEqual([]);
  expect(entries.map(({ id, parentId }) => [id, parentId])).toEqual([
    ["msg_1", null],
    ["tl_1", "msg_1"],
    ["mc_1", "tl_1"],
    ["comp_1", "mc_1"],
    ["branch_1", "comp_1"],
    ["tools_1", "branch_1"],
    ["leaf_1", "tools_1"],
  ]);
  expect(entries).toMatchObject([
    { message: { role: "user" } },
    { thinkingLevel: "medium" },
    { modelId: "gpt-4" },
    { firstKeptEntryId: "msg_3", tokensBefore: 100000, tokensAfter: 50000 },
    { fromId: "msg_3" },
    { activeToolNames: ["bash", "read"] },
    { targetId: "msg_5" },
  ]);
});

test("names inside messages are translated, the application's own are not", () => {
  const arguments_ = { tool_name: 1, parentId: 2, nested: { is_error: 3 } };
  const stored = {
    ...{ type: "message", id: "a", parent_id: "b", timestamp: "t" },
    message: {
      role: "assistant",
      content: [{ type: "toolCall", id: "k", name: "sh", arguments: arguments_, thought_signature: "s" }],
      stop_reason: "toolUse",
      usage: { input: 1, cache_read: 2, total_tokens: 3, cost: { cache_read: 4 } },
    },
  };
  const { entries } = decodeFile(fileOf(header, stored));
  expect(entries).toEqual([
    {
      ...{ type: "message", id: "a", parentId: "b", timestamp: "t" },
      message: {
        role: "assistant",
        content: [{ type: "toolCall", id: "k", name: "sh", arguments: arguments_, thoughtSignature: "s" }],
        stopReason: "toolUse",
        usage: { input: 1, cacheRead: 2, totalTokens: 3, cost: { cacheRead: 4 } },
      },
    },
  ]);
  expect(toJulia(entries[0] as SessionTreeEntry)).toEqual(stored);
});

test("nothing, which Julia writes as null, is a member left out", () => {
  const nothing = { first_kept_entry_id: null, retained_tail: null, usage: null, details: null, from_hook: false };
  const compaction = { type: "compaction", id: "a", parent_id: null, timestamp: "t", summary: "s", tokens_before: 1 };
  const info = { type: "session_info", id: "b", parent_id: "a", timestamp: "t", name: null };
  expect(decodeFile(fileOf(header, { ...compaction, ...nothing }, info)).entries).toEqual([
    {
      type: "compaction",
      id: "a",
      parentId: null,
      timestamp: "t",
      summary: "s",
      tokensBefore: 1,
      details: null,
      fromHook: false,
    },
    { type: "session_info", id: "b", parentId: "a", timestamp: "t" },
  ]);
});

test("a damaged record keeps its place in this form too", () => {
  const cut = document[3]?.slice(0, -20) as string;
  expect(decodeFile(fileOf(header, cut)).entries).toEqual([
    { type: "damaged", id: "mc_1", parentId: "tl_1", timestamp: "2024-01-01T00:00:03Z", originalType: "model_change" },
  ]);
});

test("what is written for Julia is its form", () => {
  const written = specimens().map(toJulia);
  expect(written.find(({ type }) => type === "compaction")).toMatchObject({
    first_kept_entry_id: "e3",
    tokens_before: 1000,
  });
  expect(written[3]).toMatchObject({
    parent_id: "e2",
    message: { tool_call_id: "k1", tool_name: "read", is_error: false },
  });
  const session = { type: "session", version: 3, id: "s1", timestamp: "t", cwd: "/w", metadata: { aB: 1 } } as const;
  expect(toJuliaHeader(session, "/s/a.jsonl")).toEqual({
    ...{ type: "session", id: "s1", created_at: "t", cwd: "/w", path: "/s/a.jsonl", metadata: { aB: 1 } },
  });
});

test("a session goes to Julia and back unchanged", () => {
  const session: SessionHeader = {
    type: "session",
    version: 3,
    id: "s1",
    timestamp: "t",
    cwd: "/w",
    parentSession: "/p",
  };
  expect(fromJuliaHeader(toJuliaHeader(session))).toEqual(session);
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const { entries } = decodeFile(fileOf(toJuliaHeader(session), toJulia(entry)));
      expect(entries).toEqual([entry]);
    }),
  );
});

test("a member whose translation is taken stays as it is, both ways", () => {
  const entry = { type: "custom", id: "a", parentId: "p", parent_id: "own", timestamp: "t", customType: "x" };
  const there = toJulia(entry as unknown as SessionTreeEntry);
  expect(there).toMatchObject({ parentId: "p", parent_id: "own" });
  expect(fromJulia(there)).toEqual(entry);
});

test("SE-05 keys that JavaScript knows pass through as data", () => {
  const stored = JSON.parse(
    '{"type":"custom","id":"a","parent_id":null,"__proto__":{"polluted":1},"data":{"__proto__":2}}',
  );
  expect(JSON.stringify(fromJulia(stored))).toBe(JSON.stringify(stored).replace("parent_id", "parentId"));
  expect("polluted" in {}).toBe(false);
});
