import { expect, test } from "vitest";
import { decodeFile, fileOf } from "../support/decode.ts";

const titleLine = {
  type: "title",
  v: 1,
  title: "Slot",
  source: "user",
  updatedAt: "2026-01-01T00:00:00.000Z",
  pad: "   ",
};
const header = {
  type: "session",
  version: 3,
  id: "s1",
  title: "Old",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w/p",
};
const base = (id: string, parentId: string | null) => ({ id, parentId, timestamp: "2026-01-01T00:00:01.000Z" });

test("the title line names the session and is no entry", () => {
  const entry = { type: "reset_boundary", ...base("a", null) };
  const { decoder, entries, diagnostics } = decodeFile(fileOf(titleLine, header, entry, "{"));
  expect(decoder.header).toEqual({ ...header, title: "Slot", titleSource: "user" });
  expect(decoder.access).toBe("append");
  expect(entries).toEqual([entry]);
  expect(diagnostics).toMatchObject([{ code: "malformed_line", line: 4 }]);
});

test("a title line alone is no session", () => {
  expect(decodeFile(fileOf(titleLine)).decoder.header).toBeUndefined();
  expect(() => decodeFile(fileOf(titleLine, { event: "tick" }))).toThrow(
    expect.objectContaining({ code: "invalid_session" }),
  );
});

test("omp-27 a model in one string gains its parts and keeps its role", () => {
  const change = (model: string, more = {}) => ({ type: "model_change", ...base("a", null), model, ...more });
  const read = (record: object) => decodeFile(fileOf(header, record)).entries[0];
  expect(read(change("acme/team/large", { role: "smol" }))).toEqual({
    ...change("acme/team/large", { role: "smol" }),
    provider: "acme",
    modelId: "team/large",
  });
  expect(read(change("large"))).toMatchObject({ provider: "unknown", modelId: "large" });
  expect(read(change("x/y", { provider: "p", modelId: "m" }))).toMatchObject({ provider: "p", modelId: "m" });
});

test("pi-229 fromExtension is read as fromHook, and both stay", () => {
  const summary = { type: "branch_summary", ...base("a", null), fromId: "root", summary: "s", fromExtension: true };
  const compaction = { type: "compaction", ...base("b", "a"), summary: "s", tokensBefore: 1, fromExtension: true };
  expect(decodeFile(fileOf(header, summary, { ...compaction, fromHook: false })).entries).toEqual([
    { ...summary, fromHook: true },
    { ...compaction, fromHook: false },
  ]);
});

test("omp-10 pi-35 types and members of its own are kept as they are", () => {
  const own = [
    { type: "service_tier_change", ...base("a", null), serviceTier: null },
    { type: "mode_change", ...base("b", "a"), mode: "plan", data: { deep: [1] } },
    { type: "credential_pin", ...base("c", "b"), provider: "acme", hash: "00" },
    { type: "archive", ...base("d", "c"), targetId: "a", archived: true },
    { type: "thinking_level_change", ...base("e", "d"), thinkingLevel: null, configured: "auto" },
    { type: "message", ...base("f", "e"), message: { role: "pythonExecution", code: "1", timestamp: 1 } },
  ];
  const { entries, diagnostics } = decodeFile(fileOf(header, ...own));
  expect(entries).toEqual(own);
  expect(diagnostics).toEqual([]);
});
