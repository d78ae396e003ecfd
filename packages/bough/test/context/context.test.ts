import { expect, test } from "vitest";
import { buildContextEntries, buildSessionContext, contextOf } from "../../src/context/context.ts";
import { getPathEntries } from "../../src/context/path-entries.ts";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import {
  assistant,
  branchSummary,
  calls,
  chain,
  compaction,
  custom,
  customMessage,
  type Draft,
  edit,
  message,
  model,
  placed,
  reset,
  result,
  user,
  words,
} from "./notation.ts";

const shown = (...drafts: readonly Draft[]) => words(buildSessionContext(chain(...drafts)).messages);
const talk = [user("u1"), assistant("a1"), user("u2"), assistant("a2")] as const;

test("pi-85 a path without entries has an empty context", () => {
  expect(buildSessionContext([])).toEqual({
    messages: [],
    model: null,
    thinkingLevel: "off",
    activeToolNames: null,
    injectedRules: [],
  });
});

test("pi-86 omp-51 omp-58 BR-12 pi-109 messages follow the path, and what happens on another branch is not seen", () => {
  const trunk = chain(...talk);
  const other = [
    placed(compaction("p1", "u2"), "a2", 10),
    placed(edit("e1", "u1", null), "p1", 11),
    placed(model("m1", "acme/small"), "e1", 12),
  ];
  const at = (leaf: string) => buildSessionContext(getPathEntries([...trunk, ...other], leaf));
  expect(words(at("a1").messages)).toEqual(["u1", "a1"]);
  expect(at("a2")).toEqual(buildSessionContext(trunk));
  expect(words(at("m1").messages)).toEqual(["summary p1", "u2", "a2"]);
});

test("pi-87 omp-56 CM-13 a compaction puts its summary first, then what it keeps, then what follows", () => {
  expect(shown(...talk, compaction("p1", "u2"), user("u3"))).toEqual(["summary p1", "u2", "a2", "u3"]);
});

test("CM-13 every possible cut keeps the rest of the path, equal to the original and in order", () => {
  const path = chain(...talk, user("u3"), assistant("a3"));
  const original = buildSessionContext(path).messages;
  for (const [index, first] of path.entries()) {
    const cut = placed(compaction("p1", first.id), "a3", 9);
    expect(buildSessionContext([...path, cut]).messages.slice(1)).toEqual(original.slice(index));
  }
});

test("pi-88 omp-57 of two compactions the last counts, with what its own pointer keeps", () => {
  const path = [...talk, compaction("p1", "u2"), user("u3"), assistant("a3"), compaction("p2", "u3"), user("u4")];
  expect(shown(...path)).toEqual(["summary p2", "u3", "a3", "u4"]);
});

test("pi-89 CM-03 an older compaction in the kept range adds no summary and hides nothing", () => {
  const path = [...talk, compaction("p1", "u2"), user("u3"), compaction("p2", "a1"), user("u4")];
  expect(shown(...path)).toEqual(["summary p2", "a1", "u2", "a2", "u3", "u4"]);
});

test("two compactions with the same keep entry, and two directly after each other, agree with the last one", () => {
  expect(shown(...talk, compaction("p1", "u2"), compaction("p2", "u2"))).toEqual(["summary p2", "u2", "a2"]);
  expect(shown(compaction("p1", "p1"), user("u1"))).toEqual(["summary p1", "u1"]);
});

test("pi-90 omp-59 BR-09 a keep pointer to nowhere keeps nothing and is reported", () => {
  const path = chain(user("u1"), assistant("a1"), compaction("p1", "zz"), user("u2"));
  const { context, diagnostics } = contextOf({ entries: path });
  expect(words(context.messages)).toEqual(["summary p1", "u2"]);
  expect(diagnostics).toMatchObject([{ code: "unknown_first_kept", entryId: "p1" }]);
});

test("BR-09 a keep pointer to an entry of another branch, or to a later one, keeps nothing", () => {
  const tree = [...chain(...talk), placed(user("x1"), "u1", 5), placed(compaction("p1", "x1"), "a2", 6)];
  expect(words(buildSessionContext(getPathEntries(tree, "p1")).messages)).toEqual(["summary p1"]);
  expect(shown(user("u1"), compaction("p1", "u2"), user("u2"))).toEqual(["summary p1", "u2"]);
});

test.each([
  ["pi-91 its own id", "p1"],
  ["pi-92 nothing", undefined],
])("a compaction that keeps from %s keeps nothing and is no fault", (_, pointer) => {
  const { context, diagnostics } = contextOf({ entries: chain(...talk, compaction("p1", pointer), user("u3")) });
  expect(words(context.messages)).toEqual(["summary p1", "u3"]);
  expect(diagnostics).toEqual([]);
});

test("pi-93 CM-18 a retained tail replaces the kept range, so nothing appears twice", () => {
  const tail = [user("u2").message, { role: "system", content: "old", timestamp: 1 }, assistant("a2").message];
  expect(shown(...talk, compaction("p1", "u2", { retainedTail: tail }), user("u3"))).toEqual([
    "summary p1",
    "u2",
    "a2",
    "u3",
  ]);
});

test("pi-94 an empty retained tail keeps nothing", () => {
  expect(shown(...talk, compaction("p1", "u2", { retainedTail: [] }), user("u3"))).toEqual(["summary p1", "u3"]);
});

test("omp-60 a keep pointer may name an entry that is no message", () => {
  const path = [user("u1"), model("m1", "acme/large"), assistant("a1"), compaction("p1", "m1")];
  expect(shown(...path)).toEqual(["summary p1", "a1"]);
});

test("a branch summary is kept, also as the first kept entry", () => {
  const path = [user("u1"), branchSummary("b1"), user("u2"), compaction("p1", "b1"), user("u3")];
  expect(shown(...path)).toEqual(["summary p1", "b1", "u2", "u3"]);
});

test("system messages of the kept range give way to the compaction's own", () => {
  const system = { role: "system", content: "new prompt", timestamp: 1 };
  const path = chain(
    message("s1", { role: "system", content: "old prompt" }),
    ...talk,
    message("s2", { role: "system", content: "old patch" }),
    compaction("p1", "s1", { systemMessage: system }),
    user("u3"),
  );
  const context = buildSessionContext(path);
  expect(words(context.messages)).toEqual(["new prompt", "summary p1", "u1", "a1", "u2", "a2", "u3"]);
  expect(context.systemPrompt).toBe("new prompt");
  expect(buildSessionContext(path, { systemPrompt: "the caller's" }).systemPrompt).toBe("the caller's");
});

test("a context starts after a reset, and a kept range never reaches across one", () => {
  expect(shown(user("u1"), reset("r1"), user("u2"))).toEqual(["u2"]);
  expect(shown(...talk, compaction("p1", "u2"), reset("r1"), user("u3"))).toEqual(["u3"]);
  expect(shown(user("u1"), reset("r1"), user("u2"), compaction("p1", "u1"), user("u3"))).toEqual([
    "summary p1",
    "u2",
    "u3",
  ]);
});

test("pi-104 omp-52 marks, state and unknown entries contribute no messages", () => {
  const silent = [
    { type: "label", id: "l1", targetId: "u1", label: "x" },
    { type: "session_info", id: "n1", name: "x" },
    { type: "leaf", id: "f1", targetId: "u1" },
    { type: "usage", id: "c1", kind: "title", provider: "acme", model: "large", usage: {} },
    { type: "thinking_level_change", id: "t1", thinkingLevel: "high" },
    { type: "active_tools_change", id: "x1", activeToolNames: ["sh"] },
    { type: "session_init", id: "i1", systemPrompt: "x", task: "x", tools: [] },
    { type: "archive", id: "z1", targetId: "u1" },
    custom("k1", "notes", { text: "x" }),
    model("m1", "acme/large"),
  ];
  expect(shown(user("u1"), ...silent, assistant("a1"))).toEqual(["u1", "a1"]);
});

test("pi-101 pi-102 pi-111 omp-53 omp-54 a custom message is in the context, hidden or not, with text or blocks", () => {
  const blocks = [{ type: "text", text: "blocks" }];
  const path = chain(customMessage("c1"), customMessage("c2", blocks, { display: false, details: { n: 1 } }));
  expect(buildSessionContext(path).messages).toEqual([
    { role: "custom", customType: "note", content: "c1", display: true, timestamp: Date.UTC(2026, 0, 1) },
    {
      role: "custom",
      customType: "note",
      content: blocks,
      display: false,
      details: { n: 1 },
      timestamp: Date.UTC(2026, 0, 1, 0, 0, 1),
    },
  ]);
});

test("pi-103 a branch summary without text contributes nothing", () => {
  expect(shown(branchSummary("b1", ""), user("u1"))).toEqual(["u1"]);
});

test("content that is null becomes empty content", () => {
  const path = chain(message("u1", { role: "user", content: null }), message("s1", { role: "system", content: null }));
  expect(buildSessionContext(path).messages).toMatchObject([{ content: [] }, { content: "" }]);
});

test("a message entry without a message contributes nothing", () => {
  expect(shown(message("x1", undefined), message("x2", null), user("u1"))).toEqual(["u1"]);
});

test("pi-99 pi-100 a projector makes messages of its own type, and sees the list it stands in", () => {
  const path = chain(user("u1"), custom("k1", "note", 1), custom("k2", "other", 2), compaction("p1", "k1"));
  const seen: unknown[] = [];
  const note = (entry: SessionTreeEntry, index: number, entries: readonly SessionTreeEntry[]) => {
    seen.push([entry.id, index, entries.map(({ id }) => id)]);
    return [{ role: "user" as const, content: `note ${entry.id}`, timestamp: 0 }];
  };
  const context = buildSessionContext(path, { entryProjectors: { note, other: () => undefined } });
  expect(words(context.messages)).toEqual(["summary p1", "note k1"]);
  expect(seen).toEqual([["k1", 1, ["p1", "k1", "k2"]]]);
});

test("a custom type named like a property of every object has no projector", () => {
  expect(buildSessionContext(chain(custom("k1", "constructor")), { entryProjectors: {} }).messages).toEqual([]);
});

test("pi-105 transforms run in order on what the compaction left, and before edits", () => {
  const path = chain(...talk, edit("e1", "u2", { content: "edited" }), compaction("p1", "u2"));
  const log: string[][] = [];
  const watch = (entries: readonly SessionTreeEntry[]) => {
    log.push(entries.map(({ id }) => id));
    return entries.filter(({ id }) => id !== "a2");
  };
  const options = { entryTransforms: [watch, watch] };
  expect(words(buildSessionContext(path, options).messages)).toEqual(["summary p1", "edited"]);
  expect(log).toEqual([
    ["p1", "u2", "a2", "e1"],
    ["p1", "u2", "e1"],
  ]);
  expect(buildContextEntries(path, options).map(({ id }) => id)).toEqual(["p1", "u2", "e1"]);
});

test("CM-01 CM-22 a kept range may begin between a call and its result: the context holds it as stored", () => {
  const path = [user("u1"), calls("c1", ["k1", "k2"]), result("r1", "k1"), result("r2", "k2"), compaction("p1", "r2")];
  expect(shown(...path)).toEqual(["summary p1", "r2"]);
});

test("a cut path, a damaged entry and a missing blob are reported with the context", () => {
  const image = { type: "image", data: "blob:sha256:00", mimeType: "image/png" };
  const entries = chain(
    { type: "damaged", id: "d1", originalType: "message" },
    message("u1", { role: "user", content: [image] }),
  );
  const cut = { code: "orphan", entryId: "d1", message: "" } as const;
  expect(contextOf({ entries, cut }).diagnostics).toMatchObject([
    { code: "orphan", entryId: "d1" },
    { code: "damaged_entry", entryId: "d1" },
    { code: "missing_blob", entryId: "u1" },
  ]);
});

test("a damaged compaction hides nothing: the one before it decides", () => {
  const damaged = { type: "damaged", id: "p2", originalType: "compaction" };
  expect(shown(...talk, compaction("p1", "u2"), damaged, user("u3"))).toEqual(["summary p1", "u2", "a2", "u3"]);
});
