import { appendFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SearchResult } from "../../src/catalog/index.ts";
import { place, sessionText } from "../storage/jsonl/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { allHits, catalogOf, indexedCatalog, searchable } from "./catalogs.ts";

const time = "2026-01-01T00:00:00.000Z";
const message = (id: string, parentId: string | null, content: object) => ({
  type: "message",
  id,
  parentId,
  timestamp: time,
  message: content,
});
const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "grep -rn TODO src/" } };

/** One session with two branches, in /w/alpha, and one in /w/beta. */
function stories(): string {
  const root = join(temporaryFolder(), "sessions");
  const lines = [
    message("u1", null, { role: "user", content: "Where is the TODO list of the Retry policy?" }),
    message("a1", "u1", { role: "assistant", content: [{ type: "text", text: "Looking for retries" }, call] }),
    message("t1", "a1", {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "bash",
      content: [{ type: "text", text: "src/a.ts: // TODO(jo): retry\n数据库 の 検索" }],
    }),
    message("a2", "u1", { role: "assistant", content: "another branch" }),
    { type: "label", id: "l1", parentId: "a2", timestamp: time, targetId: "t1", label: "Before the rewrite" },
  ];
  place(
    join(root, "p/t_s1.jsonl"),
    sessionText("s1", "/w/alpha") + lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  const other = place(join(root, "p/t_s2.jsonl"), sessionText("s2", "/w/beta"));
  appendFileSync(other, `${JSON.stringify(message("b1", null, { role: "user", content: "retry in beta" }))}\n`);
  return root;
}

describe.each(Object.entries(searchable))("%s", (_, open) =>
  test.each([
    ["todo", ["a1", "t1", "u1"]],
    ["todo retr", ["a1", "t1", "u1"]],
    ["retry policy", ["u1"]],
    ['"retry policy"', ["u1"]],
    ['"policy retry"', []],
    ["todo -policy", ["a1", "t1"]],
    ["todo role:user", ["u1"]],
    ["role:tool", ["t1"]],
    ["role:assistant -looking", ["a2"]],
    ["tool:bash", ["a1", "t1"]],
    ["todo -tool:bash", ["u1"]],
    ["label:REWRITE", ["t1"]],
    ["label:", ["t1"]],
    ["label:other", []],
    ['"before the rewrite"', ["l1", "t1"]],
    ["in:/w/beta retry", ["b1"]],
    ["in:alpha -in:/w/beta todo", ["a1", "t1", "u1"]],
    ["-in:/w/alpha retry", ["b1"]],
    ["re:todo\\([a-z]+\\)", ["t1"]],
    ["re:todo -re:jo", ["a1", "u1"]],
    ["re:todo role:user", ["u1"]],
    ["数据", ["t1"]],
    ["検", ["t1"]],
    ["数据库 検索", ["t1"]],
    ["//", ["t1"]],
    ["", []],
  ])("%s finds %j", async (query, ids) => {
    const hits = await allHits(await open(stories()), query);
    expect(hits.map(({ entryId }) => entryId).sort()).toEqual(ids);
  }),
);

test("LS-18 names of folders are not searched", async () => {
  expect(await allHits(await indexedCatalog(stories()), "alpha")).toEqual([]);
});

test("a hit says where it is, what was asked for, and which branches hold it", async () => {
  const catalog = await indexedCatalog(stories());
  const [first] = await allHits(catalog, "retry todo role:user");
  expect(first).toMatchObject({ sessionId: "s1", entryId: "u1", branches: ["a2", "t1"].sort(), source: "bough" });
  expect(first?.marks.map(({ start, end }) => first.snippet.slice(start, end))).toEqual(["TODO", "Retry"]);
  const [tool] = await allHits(catalog, "re:検.");
  expect(tool?.branches).toEqual(["t1"]);
  expect(tool?.marks.map(({ start, end }) => tool.snippet.slice(start, end))).toEqual(["検索"]);
});

test("a label that is moved, changed or cleared is found where it is", async () => {
  const catalog = await indexedCatalog(stories());
  const path = (await catalog.list()).sessions.find(({ id }) => id === "s1")?.path as string;
  const label = (id: string, targetId: string, text?: string) =>
    appendFileSync(
      path,
      `${JSON.stringify({ type: "label", id, parentId: "a2", timestamp: time, targetId, ...(text && { label: text }) })}\n`,
    );
  label("l2", "t1", "Renamed");
  label("l3", "late", "Too early");
  await catalog.update();
  const found = async (query: string) => (await allHits(catalog, query)).map(({ entryId }) => entryId).sort();
  expect(await found("label:renamed")).toEqual(["t1"]);
  expect(await found("label:rewrite")).toEqual([]);
  label("l4", "t1");
  appendFileSync(path, `${JSON.stringify(message("late", "a2", { role: "user", content: "here" }))}\n`);
  await catalog.update();
  expect(await found("label:")).toEqual(["late"]);
  expect(await found('"too early" here')).toEqual(["late"]);
});

test("pi-197 what is no pattern fits nothing, and says so", async () => {
  expect(await (await indexedCatalog(stories())).search("re:a(")).toEqual({ hits: [], flags: ["invalid_pattern"] });
});

test("a pattern that would take for ever ends with its time, and nothing hangs", async () => {
  const root = join(temporaryFolder(), "sessions");
  const path = place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p"));
  appendFileSync(path, `${JSON.stringify(message("u1", null, { role: "user", content: `${"a".repeat(60)}!` }))}\n`);
  const catalog = catalogOf(root);
  await catalog.update();
  const result: SearchResult = await catalog.search("re:^message\\suser\\s(a+)+$", { patternBudget: 300 });
  expect(result).toEqual({ hits: [], flags: ["search_timeout"] });
  expect(await allHits(catalog, "re:a+!")).toHaveLength(1);
});

test.each(Object.entries(searchable))("%s texts on which a pattern takes for ever hide no others", async (_, open) => {
  const root = join(temporaryFolder(), "sessions");
  const path = place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p").replace(/\n.*\n$/, "\n"));
  const endless = `${"a".repeat(60)}!`;
  for (const [at, content] of [endless, "aa", endless, "aaa"].entries())
    appendFileSync(path, `${JSON.stringify(message(`u${at}`, null, { role: "user", content }))}\n`);
  const older = place(join(root, "p/t_s0.jsonl"), sessionText("s0", "/w/p"));
  appendFileSync(older, `${JSON.stringify(message("older", null, { role: "user", content: "a" }))}\n`);
  utimesSync(older, 1, 1);
  const catalog = await open(root);
  const { hits, flags } = await catalog.search("re:^message\\suser\\s(a+)+$", { patternBudget: 4000 });
  expect(hits.map(({ entryId }) => entryId).sort()).toEqual(["older", "u1", "u3"]);
  expect(flags).toEqual(["search_timeout"]);
});

test.each(Object.entries(searchable))("%s a text that is too long for a pattern hides no other", async (_, open) => {
  const root = join(temporaryFolder(), "sessions");
  const path = place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p"));
  for (const [id, length] of [
    ["u1", 2],
    ["u2", 7 << 20],
    ["u3", 3],
  ] as const)
    appendFileSync(path, `${JSON.stringify(message(id, null, { role: "user", content: "ab".repeat(length / 2) }))}\n`);
  const catalog = await open(root);
  const { hits, flags } = await catalog.search("re:\\suser\\s(a|b)+$", { patternBudget: 20_000 });
  expect(hits.map(({ entryId }) => entryId).sort()).toEqual(["u1", "u3"]);
  expect(flags).toEqual(["search_timeout"]);
});
