import { expect, test } from "vitest";
import { contextTokens, getContextUsage, type SessionTreeEntry } from "../../src/index.ts";
import {
  assistant,
  calls,
  chain,
  compaction,
  type Draft,
  edit,
  model,
  reset,
  result,
  user,
} from "../context/notation.ts";

const counted = (totalTokens: number) => ({ usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens } });
const reply = (id: string, tokens: number, fields: object = {}) =>
  assistant(id, "1234", { ...counted(tokens), ...fields });
const sizeOf = (...drafts: readonly Draft[]) => contextTokens(chain(...drafts));

test("pi-120 the last good reply's figure counts, with an estimate of what came after it", () => {
  expect(sizeOf(user("u1", "1234"), reply("a1", 500), user("u2", "12345678"))).toEqual({
    tokens: 502,
    estimated: false,
  });
  const failed = reply("a2", 900, { stopReason: "error" });
  const aborted = reply("a3", 900, { stopReason: "aborted" });
  expect(sizeOf(user("u1", "1234"), reply("a1", 500), failed, aborted).tokens).toBe(502);
  expect(sizeOf(user("u1", "1234"), assistant("a1", "1234"))).toEqual({ tokens: 2, estimated: true });
});

test("figures without a total are added up", () => {
  const usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 };
  expect(sizeOf(user("u1"), assistant("a1", "x", { usage })).tokens).toBe(100);
});

test("pi-121 CM-06 a figure older than a compaction, a reset or an edit says nothing about the context after it", () => {
  const before = [user("u1", "1234"), reply("a1", 363_095)];
  const cut = compaction("p1", "a1", { summary: "12345678" });
  expect(sizeOf(...before, cut)).toEqual({ tokens: 3, estimated: true });
  expect(sizeOf(...before, reset("x"), user("u2", "1234"))).toEqual({ tokens: 1, estimated: true });
  expect(sizeOf(...before, edit("e", "u1", null))).toEqual({ tokens: 1, estimated: true });
  expect(sizeOf(...before, cut, user("u2", "1234"), reply("a2", 40))).toEqual({ tokens: 40, estimated: false });
});

test("CM-07 a huge result that the provider counted is not estimated again", () => {
  const path = chain(
    user("u1", "fetch"),
    calls("c1", ["k1"]),
    result("r1", "k1", "x".repeat(6_600_000)),
    reply("a1", 17_000),
    user("u2", "next"),
  );
  expect(contextTokens(path)).toEqual({ tokens: 17_001, estimated: false });
});

test("another model's figure says nothing, whether it was asked before or is to be asked now", () => {
  const path = [user("u1", "1234"), reply("a1", 500)];
  expect(sizeOf(...path, model("m", "other/small"))).toEqual({ tokens: 2, estimated: true });
  const asked = { model: { provider: "acme", modelId: "large" } };
  expect(contextTokens(chain(...path, model("m", "other/small")), asked).tokens).toBe(500);
  expect(contextTokens(chain(...path), { model: { provider: "acme", modelId: "small" } }).estimated).toBe(true);
});

test("the estimator can be replaced", () => {
  expect(contextTokens(chain(user("u1"), user("u2")), { estimate: () => 7 }).tokens).toBe(14);
});

test("transforms and projectors of the session are counted as they send", () => {
  const path = chain(user("u1", "1234"), { type: "custom", id: "x", customType: "note", data: "12345678" });
  const context = {
    entryTransforms: [(entries: readonly SessionTreeEntry[]) => entries.slice(1)],
    entryProjectors: { note: () => [{ role: "user", content: "12345678", timestamp: 0 } as const] },
  };
  expect(contextTokens(path, { context })).toEqual({ tokens: 2, estimated: true });
});

test("how full a window is stays unknown without a window or a provider's figure", () => {
  const path = chain(user("u1", "1234"), reply("a1", 500));
  expect(getContextUsage(path, { contextWindow: 1000 })).toEqual({ tokens: 500, window: 1000, percent: 50 });
  expect(getContextUsage(path, { contextWindow: 400 })?.percent).toBe(125);
  for (const contextWindow of [null, undefined, 0]) expect(getContextUsage(path, { contextWindow })).toBeNull();
  const compacted = chain(user("u1", "1234"), reply("a1", 500), compaction("p1", "a1"));
  expect(getContextUsage(compacted, { contextWindow: 1000 })).toBeNull();
  expect(getContextUsage([], { contextWindow: 1000 })).toBeNull();
});
