import fc from "fast-check";
import { expect, test } from "vitest";
import {
  collectEntriesForBranchSummary,
  generateBranchSummary,
  prepareBranchEntries,
  type Session,
  type SummaryReply,
} from "../../src/index.ts";
import { paths } from "../context/histories.ts";
import {
  assistant,
  branchSummary,
  calls,
  chain,
  compaction,
  type Draft,
  edit,
  message,
  model,
  result,
  user,
  words,
} from "../context/notation.ts";
import { idsOf, told } from "../support/stories.ts";
import { scripted, sessionOf } from "./sessions.ts";

const tree = `U(u1,-,"one")
  A(a1,u1,"1")
  U(u2,a1,"two")
  A(a2,u2,"2")
  U(u3,a1,"three")
  A(a3,u3,"3")
  U(u9,-,"another root")`;

const collected = async (session: Session, from: string | null, to: string | null) => {
  const { entries, commonAncestorId } = await collectEntriesForBranchSummary(session, from, to);
  return { ids: idsOf(entries), commonAncestorId };
};
const prepared = (...drafts: readonly Draft[]) => prepareBranchEntries(chain(...drafts));

test("pi-149 omp-107 omp-108 what is left lies below the common ancestor, in path order", async () => {
  const session = await sessionOf(tree);
  expect(await collected(session, "a2", "a3")).toEqual({ ids: ["u2", "a2"], commonAncestorId: "a1" });
  expect(await collected(session, "a2", "a1")).toEqual({ ids: ["u2", "a2"], commonAncestorId: "a1" });
  expect(await collected(session, "a2", "u9")).toEqual({ ids: ["u1", "a1", "u2", "a2"], commonAncestorId: null });
  expect(await collected(session, "u1", null)).toEqual({ ids: ["u1"], commonAncestorId: null });
  expect(await collected(session, null, "a3")).toEqual({ ids: [], commonAncestorId: null });
});

test("pi-150 going down leaves nothing behind", async () => {
  const session = await sessionOf(tree);
  expect(await collected(session, "a1", "a2")).toEqual({ ids: [], commonAncestorId: "a1" });
  expect(await collected(session, "a1", "a1")).toEqual({ ids: [], commonAncestorId: "a1" });
});

test("pi-151 going above a compaction leaves what is below the target and no more", async () => {
  const session = await sessionOf(`${tree}\nK(p1,a3,u3,"S")\nU(u4,p1,"four")`);
  expect(await collected(session, "u4", "a1")).toEqual({ ids: ["u3", "a3", "p1", "u4"], commonAncestorId: "a1" });
});

test("ids that aren't there are refused", async () => {
  const session = await sessionOf(tree);
  await expect(collected(session, "zz", "a1")).rejects.toMatchObject({ code: "not_found" });
  await expect(collected(session, "a1", "zz")).rejects.toMatchObject({ code: "not_found" });
});

test("results of tools are left out, edits are applied, and what the user excluded stays out", () => {
  const bash = { role: "bashExecution", command: "cat key", output: "", cancelled: false, truncated: false };
  const { messages } = prepared(
    user("u1"),
    calls("c1", ["k1"]),
    result("r1", "k1"),
    message("b1", { ...bash, excludeFromContext: true }),
    assistant("a1"),
    edit("e1", "a1", null),
    branchSummary("s1"),
  );
  expect(words(messages)).toEqual(["u1", "k1", "s1"]);
});

test("pi-169 of a branch that is too long the newest messages stay", () => {
  const path = chain(...Array.from({ length: 9 }, (_, index) => user(`u${index}`, "x".repeat(40))));
  const { messages, tokens } = prepareBranchEntries(path, { budget: 35 });
  expect(messages).toHaveLength(3);
  expect(messages.at(-1)).toMatchObject({ timestamp: Date.UTC(2026, 0, 1, 0, 0, 8) });
  expect(tokens).toBe(30);
});

test("a summary on the branch is taken although it is a little too large, and nothing older after it", () => {
  const path = chain(user("u1"), branchSummary("s1", "x".repeat(400)), user("u2", "x".repeat(40)));
  expect(words(prepareBranchEntries(path, { budget: 50 }).messages)).toEqual(["x".repeat(400), "x".repeat(40)]);
  expect(words(prepareBranchEntries(path, { budget: 11 }).messages)).toEqual(["x".repeat(40)]);
});

test("what a compaction on the branch stands for is not summarised again", () => {
  const path = [user("u1"), user("u2"), compaction("p1", "u2"), user("u3")];
  expect(words(prepared(...path).messages)).toEqual(["summary p1", "u2", "u3"]);
  expect(words(prepared(user("u1"), compaction("p1", "elsewhere"), user("u3")).messages)).toEqual(["summary p1", "u3"]);
});

test("files of the whole branch are listed, those of summaries on it included, but for a hook's", () => {
  const write = [{ type: "toolCall", id: "k1", name: "write", arguments: { path: "w.ts" } }];
  const own = { ...branchSummary("s1"), details: { readFiles: ["r.ts"], modifiedFiles: [] } };
  const theirs = { ...branchSummary("s2"), details: { readFiles: ["x.ts"], modifiedFiles: [] }, fromHook: true };
  const path = chain(assistant("c1", write), result("r1", "k1"), own, theirs, user("u1"));
  expect(prepareBranchEntries(path, { budget: 1 }).files).toEqual({ readFiles: ["r.ts"], modifiedFiles: ["w.ts"] });
});

test("pi-157 pi-158 pi-171 a summary goes where the move goes, names the leaf that was left, and the branch stays", async () => {
  const session = await sessionOf(`${tree}\nP(l1,a2,a2)`);
  const { entries } = await collectEntriesForBranchSummary(session, "a2", "a3");
  const { requests, summarizer } = scripted("tried two");
  const summary = await generateBranchSummary(entries, { summarizer });
  const id = await session.moveTo("a3", summary);
  expect(requests[0]).toMatchObject({ kind: "branch", turnPrefix: [] });
  expect(await session.getLeafEntry()).toMatchObject({
    ...{ id, type: "branch_summary", parentId: "a3", fromId: "a2", summary: "tried two" },
    details: { readFiles: [], modifiedFiles: [] },
  });
  expect(await told(session)).toEqual(["one", "1", "three", "3", "tried two"]);
  expect(idsOf(await session.getBranch("a2"))).toEqual(["u1", "a1", "u2", "a2"]);
});

test("a model with a small window summarises the end of a branch that fits half of it", async () => {
  const { requests, summarizer } = scripted("S");
  const long = chain(user("u1", "old ".repeat(20_000)), user("u2", "new"));
  expect(await generateBranchSummary(long, { summarizer, contextWindow: 8_192 })).toMatchObject({ summary: "S" });
  expect(requests[0]?.messages).toHaveLength(1);
});

test("pi-167 where nothing was said there is no summary and nobody is asked for one", async () => {
  const { requests, summarizer } = scripted("S");
  expect(await generateBranchSummary([], { summarizer })).toBeUndefined();
  expect(await generateBranchSummary(chain(model("m1", "acme/large")), { summarizer })).toBeUndefined();
  expect(requests).toEqual([]);
});

test.each([
  ["failed", { content: "", stopReason: "error" }],
  ["truncated", { content: "It was", stopReason: "length" }],
  ["empty", { content: "" }],
] as const)("pi-160 a summary of a branch that is unfit (%s) is refused", async (reason, reply) => {
  const { summarizer } = scripted(reply as SummaryReply);
  const refusal = { name: "BranchSummaryError", code: "branch_summary", details: { reason } };
  await expect(generateBranchSummary(chain(user("u1")), { summarizer })).rejects.toMatchObject(refusal);
});

test("an abort throws its reason", async () => {
  const signal = AbortSignal.abort("enough");
  await expect(generateBranchSummary(chain(user("u1")), { signal })).rejects.toBe("enough");
});

test("without a summariser the branch's own words make the summary", async () => {
  const summary = await generateBranchSummary(chain(user("u1", "Try a cache."), assistant("a1", "It was too slow.")));
  expect(summary?.summary).toMatch(/Try a cache\.[\s\S]*It was too slow\./);
});

test("any branch can be prepared", () => {
  fc.assert(
    fc.property(paths(30), fc.nat(60), (path, budget) => {
      const { tokens, messages } = prepareBranchEntries(path, { budget });
      expect(tokens).toBeGreaterThanOrEqual(0);
      expect(messages.some(({ role }) => role === "toolResult" || role === "system")).toBe(false);
    }),
  );
});
