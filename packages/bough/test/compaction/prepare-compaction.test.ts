import fc from "fast-check";
import { expect, test } from "vitest";
import { readActivePath } from "../../src/context/window.ts";
import { headOf } from "../../src/entry/head.ts";
import { type CompactionPreparation, type Keep, type PrepareOptions, prepareCompaction } from "../../src/index.ts";
import type { SyncEntryLog } from "../../src/session/entry-log.ts";
import { read, runSync } from "../../src/session/program.ts";
import { Ascent } from "../../src/tree/path.ts";
import { paths } from "../context/histories.ts";
import {
  assistant,
  branchSummary,
  calls,
  chain,
  compaction,
  customMessage,
  type Draft,
  edit,
  message,
  model,
  reset,
  result,
  user,
  words,
} from "../context/notation.ts";

/** So many tokens. */
const sized = (tokens: number) => "x".repeat(tokens * 4);
const planned = (keep: Keep, drafts: readonly Draft[], options: PrepareOptions = {}) =>
  prepareCompaction(chain(...drafts), { keep, ...options });
const ids = (preparation: CompactionPreparation | undefined) =>
  preparation && { covered: preparation.coveredIds, kept: preparation.keptIds };
const tokens = (count: number) => ({ tokens: count });

const twoTurns = [user("u1"), assistant("a1"), user("u2"), assistant("a2")];

test("pi-123 what fits the budget is kept, and then there is nothing to compact", () => {
  expect(planned(tokens(20_000), twoTurns)).toBeUndefined();
  expect(planned(tokens(1), [user("u1", sized(9))])).toBeUndefined();
  expect(planned(tokens(1), [])).toBeUndefined();
});

test("pi-145 nothing is compacted twice in the same place", () => {
  expect(planned({ turns: 0 }, [...twoTurns, compaction("p1", "u2")])).toBeUndefined();
});

test("pi-226 the newest entries that reach the budget are kept", () => {
  const path = [user("u1", sized(10)), assistant("a1", sized(10)), user("u2", sized(10)), assistant("a2", sized(10))];
  expect(ids(planned(tokens(11), path))).toEqual({ covered: ["u1", "a1"], kept: ["u2", "a2"] });
  expect(ids(planned(tokens(10), path))).toEqual({ covered: ["u1", "a1", "u2"], kept: ["a2"] });
  expect(ids(planned(tokens(0), path))).toEqual({ covered: ["u1", "a1", "u2", "a2"], kept: [] });
});

test("turns are counted from what users, their commands and notes begin", () => {
  const note = customMessage("n1");
  const bash = message("b1", { role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false });
  const path = [...twoTurns, note, assistant("a3"), bash, branchSummary("s1"), assistant("a4")];
  expect(planned({ turns: 1 }, path)?.firstKeptEntryId).toBe("s1");
  expect(planned({ turns: 2 }, path)?.firstKeptEntryId).toBe("b1");
  expect(planned({ turns: 3 }, path)?.firstKeptEntryId).toBe("n1");
  expect(planned({ turns: 4 }, path)?.firstKeptEntryId).toBe("u2");
  expect(planned({ turns: 5 }, path)).toBeUndefined();
  expect(planned({ turns: 0 }, path)).not.toHaveProperty("firstKeptEntryId");
});

test("pi-122 CM-22 a cut never lands on a result", () => {
  const path = [user("u1"), calls("c1", ["k1", "k2"]), result("r1", "k1"), result("r2", "k2"), assistant("a1")];
  for (let count = 0; count < 9; count++) {
    const first = planned(tokens(count), path)?.firstKeptEntryId;
    expect([undefined, "c1", "a1"]).toContain(first);
  }
});

test("pi-124 CM-04 results larger than the budget are kept with their call, and what is before them is summarised", () => {
  const four = ["k1", "k2", "k3", "k4"];
  const path = [
    user("u1", sized(15_000)),
    assistant("a1"),
    user("u2"),
    calls("c1", four),
    ...four.map((id) => result(`r-${id}`, id, sized(7500))),
  ];
  const preparation = planned(tokens(20_000), path);
  expect(preparation).toMatchObject({ firstKeptEntryId: "c1", isSplitTurn: true, coveredIds: ["u1", "a1", "u2"] });
});

test("CM-05 what is kept says how large it is, and that it is more than was asked for", () => {
  const path = [
    user("u0"),
    assistant("a0"),
    user("u1", sized(3000)),
    calls("c1", ["k1"]),
    result("r1", "k1", sized(18_000)),
  ];
  const preparation = planned(tokens(20_000), path);
  expect(preparation).toMatchObject({ firstKeptEntryId: "u1", isOverBudget: true });
  expect(preparation?.keptTokens).toBeGreaterThan(21_000);
  expect(planned(tokens(21_100), path)?.isOverBudget).toBeUndefined();
});

test("a note between a call and its result doesn't part them", () => {
  const path = [...twoTurns, calls("c1", ["k1", "k2"]), result("r1", "k1"), customMessage("n1"), result("r2", "k2")];
  expect(planned(tokens(1), path)?.firstKeptEntryId).toBe("c1");
});

test("CM-14 a call that waits for its result is kept, although the conversation went on", () => {
  const path = [user("u1"), calls("c1", ["k1"]), user("u2"), assistant("a2"), user("u3"), assistant("a3")];
  expect(planned({ turns: 1 }, path)?.firstKeptEntryId).toBe("c1");
  expect(planned(tokens(1), path)?.firstKeptEntryId).toBe("c1");
});

test("a call that waits while more was said than the reserve holds is taken for lost", () => {
  const path = [user("u1"), calls("c1", ["k1"]), user("u2", sized(100)), assistant("a2"), user("u3")];
  expect(planned({ turns: 1 }, path, { settings: { reserveTokens: 99 } })?.firstKeptEntryId).toBe("u3");
  expect(planned({ turns: 1 }, path, { settings: { reserveTokens: 200 } })?.firstKeptEntryId).toBe("c1");
});

test("a call whose turn is still open is kept at any price", () => {
  const path = [...twoTurns, calls("c1", ["k1", "k2"]), result("r1", "k1", sized(1000))];
  expect(planned(tokens(0), path, { settings: { reserveTokens: 0 } })?.firstKeptEntryId).toBe("c1");
});

test("nobody waits for the calls of a reply that failed", () => {
  const path = [...twoTurns, calls("c1", ["k1"], { stopReason: "aborted" }), user("u3")];
  expect(planned({ turns: 1 }, path)?.firstKeptEntryId).toBe("u3");
});

test("pi-125 a cut through a turn summarises the beginning of the turn apart from the turns before", () => {
  const path = [...twoTurns, user("u3"), calls("c1", ["k1"]), result("r1", "k1"), assistant("a3", sized(10))];
  const preparation = planned(tokens(10), path);
  expect(preparation).toMatchObject({ isSplitTurn: true, firstKeptEntryId: "a3" });
  expect(words(preparation?.messagesToSummarize ?? [])).toEqual(["u1", "a1", "u2", "a2"]);
  expect(words(preparation?.turnPrefixMessages ?? [])).toEqual(["u3", "k1", "r1"]);
});

test("state entries right before the cut are kept with what they are for", () => {
  const path = [...twoTurns.slice(0, 2), model("m1", "acme/small"), ...twoTurns.slice(2)];
  expect(planned({ turns: 1 }, path)?.firstKeptEntryId).toBe("m1");
});

test("pi-127 CM-03 what the compaction before had kept enters the next, with its summary beside it", () => {
  const path = [...twoTurns, compaction("p1", "u2"), user("u3"), assistant("a3")];
  const preparation = planned({ turns: 1 }, path);
  expect(ids(preparation)).toEqual({ covered: ["u2", "a2"], kept: ["u3", "a3"] });
  expect(words(preparation?.messagesToSummarize ?? [])).toEqual(["u2", "a2"]);
  expect(preparation?.previousSummary).toBe("summary p1");
});

test("the next compaction may keep from before the one before", () => {
  const path = [...twoTurns, compaction("p1", "u2"), assistant("a3")];
  expect(ids(planned(tokens(2), path))).toEqual({ covered: ["u2"], kept: ["a2", "a3"] });
});

test("what a compaction kept inline enters the next as well", () => {
  const tail = [{ role: "user", content: "kept inline", timestamp: 0 }];
  const path = [...twoTurns, compaction("p1", undefined, { retainedTail: tail }), user("u3"), assistant("a3")];
  const preparation = planned({ turns: 1 }, path);
  expect(words(preparation?.messagesToSummarize ?? [])).toEqual(["kept inline"]);
  expect(ids(preparation)).toEqual({ covered: [], kept: ["u3", "a3"] });
});

test("nothing from above a reset is summarised", () => {
  const path = [...twoTurns, reset("x"), user("u3"), assistant("a3"), user("u4")];
  expect(ids(planned({ turns: 1 }, path))).toEqual({ covered: ["u3", "a3"], kept: ["u4"] });
});

test("edits and what the user excluded count as the context shows them", () => {
  const secret = { role: "bashExecution", command: "cat key", output: "secret", cancelled: false, truncated: false };
  const path = [
    user("u1"),
    message("b1", { ...secret, excludeFromContext: true }),
    assistant("a1"),
    edit("e1", "u1", { content: "edited" }),
    edit("e2", "a1", null),
    user("u2"),
  ];
  const preparation = planned({ turns: 1 }, path);
  expect(words(preparation?.messagesToSummarize ?? [])).toEqual(["edited"]);
});

test("CM-12 all that leaves the context is to be summarised: texts, notes, results, summaries of branches", () => {
  const path = [
    message("u1", { role: "user", content: "MARK-1" }),
    calls("c1", ["k1"]),
    result("r1", "k1", "MARK-2"),
    assistant("a1", "MARK-3"),
    customMessage("n1", "MARK-4"),
    branchSummary("s1", "MARK-5"),
    user("u2", "keep me"),
  ];
  const preparation = planned({ turns: 1 }, path);
  const told = words(preparation?.messagesToSummarize ?? []);
  expect(told).toEqual(["MARK-1", "k1", "MARK-2", "MARK-3", "MARK-4", "MARK-5"]);
});

test("what system messages add up to is carried, and they are no part of what is summarised", () => {
  const system = (id: string, fields: object) => message(id, { role: "system", content: id, ...fields });
  const path = [
    system("s1", { sections: { a: "one", b: "two" }, toolsAdded: [{ name: "read" }, { name: "sh" }] }),
    user("u1"),
    system("s2", { sections: { a: null, c: "three" }, toolsRemoved: ["sh"] }),
    assistant("a1"),
    user("u2"),
  ];
  const preparation = planned({ turns: 1 }, path);
  expect(preparation?.systemMessage).toMatchObject({
    content: "s1\n\ns2",
    sections: { b: "two", c: "three" },
    toolsAdded: [{ name: "read" }],
  });
  expect(words(preparation?.messagesToSummarize ?? [])).toEqual(["u1", "a1"]);
});

test("sizes are of one measure: the whole, what is summarised and what stays", () => {
  const path = [...twoTurns, compaction("p1", "u2"), user("u3"), assistant("a3")];
  const preparation = planned({ turns: 1 }, path, { estimate: () => 10 });
  expect(preparation).toMatchObject({ tokensBefore: 50, coveredTokens: 30, keptTokens: 20 });
});

const fileCall = (id: string, name: string, path: string, isError = false): Draft[] => [
  assistant(`c-${id}`, [{ type: "toolCall", id, name, arguments: { path } }], { stopReason: "toolUse" }),
  message(`r-${id}`, { role: "toolResult", toolCallId: id, toolName: name, content: [], isError }),
];

test("pi-131 files read and modified add up over compactions, and a file that was modified is not among those read", () => {
  const path = [
    user("u1"),
    ...fileCall("k1", "read", "b.ts"),
    ...fileCall("k2", "read", "a.ts"),
    ...fileCall("k3", "edit", "a.ts"),
    ...fileCall("k4", "write", "failed.ts", true),
    user("u2"),
  ];
  const first = planned({ turns: 1 }, path);
  expect(first?.files).toEqual({ readFiles: ["b.ts"], modifiedFiles: ["a.ts"] });
  const details = first?.files;
  const next = [...fileCall("k5", "write", "c.ts"), ...fileCall("k6", "edit", "b.ts"), user("u3")];
  const second = planned({ turns: 1 }, [...path, compaction("p1", "u2", { details }), ...next]);
  expect(second?.files).toEqual({ readFiles: [], modifiedFiles: ["a.ts", "b.ts", "c.ts"] });
});

test.each(["fromHook", "fromExtension"])("lists of a summary that is %s are not carried on", (origin) => {
  const details = { readFiles: ["theirs"], modifiedFiles: ["theirs too"] };
  const path = [user("u1"), compaction("p1", "p1", { details, [origin]: true }), user("u2"), user("u3")];
  expect(planned({ turns: 1 }, path)?.files).toEqual({ readFiles: [], modifiedFiles: [] });
});

test("planning a long history with many open calls of few ids costs its length", () => {
  const drafts = Array.from({ length: 40_000 }, (_, index) => calls(`c${index}`, [`k${index % 3}`]));
  const path = chain(...drafts, user("u"));
  expect(prepareCompaction(path, { keep: { turns: 1 }, settings: { reserveTokens: 0 } })?.firstKeptEntryId).toBe("u");
  expect(prepareCompaction(path, { keep: { tokens: 100 } })?.keptIds.length).toBeGreaterThan(99);
});

test("the active part of a path is prepared like the whole", () => {
  fc.assert(
    fc.property(paths(40), fc.nat(40).map(tokens), (path, keep) => {
      const log = { read: (positions: readonly number[]) => positions.map((position) => path[position]) };
      const heads = new Map(path.map((entry, position) => [entry.id, headOf(entry, position)]));
      const ascent = new Ascent(heads, path.at(-1)?.id ?? null);
      const active = runSync(readActivePath(ascent, read), log as unknown as SyncEntryLog);
      expect(prepareCompaction(active, { keep })).toEqual(prepareCompaction(path, { keep }));
    }),
    { numRuns: 300 },
  );
});

test("any path can be prepared, and then every entry of its context is covered or kept, in path order", () => {
  const keep = fc.oneof(
    fc.nat(40).map(tokens),
    fc.nat(4).map((turns) => ({ turns })),
  );
  fc.assert(
    fc.property(paths(40), keep, fc.nat(50), (path, keep, reserveTokens) => {
      const preparation = prepareCompaction(path, { keep, settings: { reserveTokens } });
      if (preparation === undefined) return;
      const { coveredIds, keptIds, leafId } = preparation;
      const both = [...coveredIds, ...keptIds];
      expect(new Set(both).size).toBe(both.length);
      expect(path.filter(({ id }) => both.includes(id)).map(({ id }) => id)).toEqual(both);
      expect(preparation.firstKeptEntryId).toBe(keptIds[0]);
      expect(leafId).toBe(path.at(-1)?.id);
      expect(preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
