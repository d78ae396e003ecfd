import { expect, test } from "vitest";
import {
  assistant,
  asyncLog,
  type CompactionEntry,
  CompactionError,
  type CompactionPreparation,
  type CompactOptions,
  commitCompaction,
  compact,
  type ErrorCode,
  generateSummary,
  planCompaction,
  prepareCompaction,
  type Session,
  type SummaryReply,
  user,
} from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { MemoryLog, MemoryRecords } from "../../src/storage/memory/index.ts";
import { FaultyLog } from "../../src/testing/faulty-log.ts";
import { sessionOn } from "../support/session-on.ts";
import { idsOf, openStory, told } from "../support/stories.ts";
import { pending, scripted, sessionOf } from "./sessions.ts";

const story = `U(u1,-,"400 chars")
  A(a1,u1,"400 chars")
  U(u2,a1,"two")
  A(a2,u2,"2")`;
const keep = { turns: 1 } as const;

const everything = async (session: Session) => ({
  entries: await session.getEntries(),
  leafId: session.leafId,
  context: await session.buildContext(),
});

/** Asserts that compacting is refused and leaves no trace. */
async function refused(session: Session, options: CompactOptions, code: ErrorCode, details: object = {}) {
  const before = await everything(session);
  await expect(compact(session, { keep, ...options })).rejects.toMatchObject({ code, details });
  expect(await everything(session)).toEqual(before);
}

test("pi-129 pi-225 a compaction is one entry at the leaf that stands for what is before the kept entries", async () => {
  const session = await sessionOf(story);
  const { requests, summarizer } = scripted("S");
  const { entry, preparation } = await compact(session, { keep, summarizer });
  expect(entry).toEqual(await session.getEntry(session.leafId ?? ""));
  expect(entry).toMatchObject({
    type: "compaction",
    parentId: "a2",
    summary: "S",
    firstKeptEntryId: "u2",
    tokensBefore: 202,
    tokensAfter: 3,
    details: {
      readFiles: [],
      modifiedFiles: [],
      covered: { first: "u1", last: "a1", entries: 2 },
      kept: { first: "u2", last: "a2", entries: 2 },
    },
    state: { model: { provider: "acme", modelId: "large" }, thinkingLevel: "off" },
  });
  expect(entry).not.toHaveProperty("retainedTail");
  expect(preparation.keptTokens).toBe(2);
  expect(requests[0]?.messages).toHaveLength(2);
  expect(await told(session)).toEqual(["S", "two", "2"]);
});

test("pi-224 what is kept in the context is the messages themselves", async () => {
  const session = await sessionOf(story);
  const [, , ...kept] = (await session.buildContext()).messages;
  await compact(session, { keep, summarizer: scripted("S").summarizer });
  const [, ...after] = (await session.buildContext()).messages;
  expect(after).toEqual(kept);
});

test("without a summariser the conversation's own words make the summary", async () => {
  const session = await sessionOf(story.replace("400 chars", "Write the parser. ".repeat(300)));
  const { entry } = await compact(session, { keep });
  expect(entry.summary).toMatch(/^## Goal\n- First request: "Write the parser\./);
});

test("a compaction that keeps nothing says so with its own id", async () => {
  const session = await sessionOf(story);
  const { entry } = await compact(session, { keep: { turns: 0 }, summarizer: scripted("S").summarizer });
  expect(entry.firstKeptEntryId).toBe(entry.id);
  expect(entry.details).toMatchObject({ kept: null, covered: { first: "u1", last: "a2", entries: 4 } });
  expect(await told(session)).toEqual(["S"]);
});

test("going above a compaction undoes it, and the same place can be compacted again", async () => {
  const session = await sessionOf(story);
  const before = await session.buildContext();
  await compact(session, { keep, summarizer: scripted("S").summarizer });
  await session.moveTo("a2");
  expect(await session.buildContext()).toEqual(before);
  await compact(session, { keep, summarizer: scripted("T").summarizer });
  expect(await told(session)).toEqual(["T", "two", "2"]);
});

test("pi-147 CM-17 the context after reopening is the one in memory", async () => {
  const { session, reopened } = await openStory(story);
  await compact(session, { keep, summarizer: scripted("S").summarizer });
  const context = await session.buildContext();
  expect(await (await reopened()).buildContext()).toEqual(context);
});

test("CM-13 for every cut the context is the summary and the rest of the conversation as it was", async () => {
  const turns = Array.from(
    { length: 8 },
    (_, turn) => `U(u${turn},${turn ? `a${turn - 1}` : "-"},"40 chars")\nA(a${turn},u${turn},"40 chars")`,
  );
  for (let kept = 0; kept < 8; kept++) {
    const session = await sessionOf(turns.join("\n"));
    const { messages } = await session.buildContext();
    await compact(session, { keep: { turns: kept }, summarizer: scripted("S").summarizer });
    expect((await session.buildContext()).messages.slice(1)).toEqual(messages.slice(16 - kept * 2));
  }
});

test("pi-118 compaction that is switched off can still be asked for", async () => {
  const session = await sessionOf(story);
  const settings = { enabled: false };
  expect((await compact(session, { keep, settings, summarizer: scripted("S").summarizer })).entry.summary).toBe("S");
});

test("the system prompt of the path is carried", async () => {
  const session = await sessionOf("");
  await session.appendMessage({ role: "system", content: "Be brief." });
  await session.appendMessages([user("x".repeat(400)), assistant("1"), user("2")]);
  const before = await session.buildContext();
  await compact(session, { keep, summarizer: scripted("S").summarizer });
  const after = await session.buildContext();
  expect(after.systemPrompt).toBe(before.systemPrompt);
  expect(after.messages.map(({ role }) => role)).toEqual(["system", "compactionSummary", "user"]);
});

test("a compaction of any appender carries the prompt, and a SessionManager compacts with the pure parts", async () => {
  const manager = SessionManager.inMemory("/w/p");
  manager.appendMessage({ role: "system", content: "Be brief.", sections: { tone: "dry" } });
  for (const text of ["x".repeat(4000), "two", "three"]) manager.appendMessage(user(text));
  manager.appendMessage({ role: "system", content: "", sections: { tone: null } });
  const preparation = prepareCompaction(manager.getBranch(), { keep });
  const { summary, details } = await generateSummary(preparation as CompactionPreparation);
  manager.appendCompaction(summary, preparation?.firstKeptEntryId ?? null, preparation?.tokensBefore ?? 0, details);
  const { messages, systemPrompt } = manager.buildSessionContext();
  expect(systemPrompt).toBe("Be brief.");
  expect(messages.map(({ role }) => role)).toEqual(["system", "compactionSummary", "user"]);
});

test.each([
  ["empty", { content: [{ type: "thinking", thinking: "hm" }] }],
  ["empty", { content: "   \n" }],
  ["truncated", { content: [{ type: "thinking", thinking: "hm" }], stopReason: "length" }],
  ["truncated", { content: "It was about", stopReason: "length" }],
  ["failed", { content: "", stopReason: "error", errorMessage: "429" }],
  ["tool_call", { content: [{ type: "toolCall", id: "k", name: "read", arguments: {} }], stopReason: "toolUse" }],
  [
    "tool_call",
    {
      content: [
        { type: "text", text: "S" },
        { type: "toolCall", id: "k", name: "read", arguments: {} },
      ],
    },
  ],
  ["no_gain", { content: "x".repeat(5000) }],
] as const)(
  "pi-133 CM-09 CM-10 DL-06 a summary that is unfit (%s) is refused, and nothing happened",
  async (reason, reply) => {
    const usage = { input: 5, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 5, cost: { total: 1 } };
    const billed = { ...reply, usage } as unknown as SummaryReply;
    await refused(await sessionOf(story), { summarizer: scripted(billed).summarizer }, "compaction", { reason, usage });
  },
);

test("a compaction without gain tells both sizes", async () => {
  const { summarizer } = scripted("x".repeat(5000));
  await refused(await sessionOf(story), { summarizer }, "compaction", { tokensBefore: 202, tokensAfter: 1252 });
});

test("CM-10 two letters don't stand for a long history", async () => {
  const session = await sessionOf(story.replaceAll("400 chars", "9000 chars"));
  await refused(session, { summarizer: scripted("ok").summarizer }, "compaction", { reason: "stub" });
});

test("DL-06 a summariser that throws leaves everything as it was, and what it threw is the cause", async () => {
  const session = await sessionOf(story);
  const cause = new Error("429");
  const { summarizer } = scripted(() => Promise.reject(cause));
  await refused(session, { summarizer }, "compaction", { reason: "failed" });
  await expect(compact(session, { keep, summarizer })).rejects.toMatchObject({ cause });
});

test("a refusal of the summariser's own comes through", async () => {
  const refusal = new CompactionError("auth", "no key", { provider: "acme" });
  await refused(await sessionOf(story), { summarizer: scripted(() => Promise.reject(refusal)).summarizer }, "auth");
});

test("pi-134 omp-90 an abort throws its reason, and nothing happened", async () => {
  const session = await sessionOf(story);
  const before = await everything(session);
  const controller = new AbortController();
  const { asked, release, summarizer } = pending();
  const compacting = compact(session, { keep, summarizer, signal: controller.signal });
  await asked;
  controller.abort("enough");
  release();
  await expect(compacting).rejects.toBe("enough");
  await expect(compact(session, { signal: AbortSignal.abort("at once") })).rejects.toBe("at once");
  expect(await everything(session)).toEqual(before);
});

test("an abort ends the wait for a summariser that never answers", async () => {
  const session = await sessionOf(story);
  const controller = new AbortController();
  const { asked, summarizer } = pending();
  const compacting = compact(session, { keep, summarizer, signal: controller.signal });
  await asked;
  controller.abort("enough");
  await expect(compacting).rejects.toBe("enough");
});

test("pi-123 pi-145 where there is nothing to compact the summariser isn't asked", async () => {
  const { requests, summarizer } = scripted("S");
  await refused(await sessionOf(), { summarizer }, "nothing_to_compact", { reason: "empty" });
  const session = await sessionOf(story);
  await refused(session, { summarizer, keep: { tokens: 1000 } }, "nothing_to_compact", { reason: "all_kept" });
  await compact(session, { keep, summarizer });
  await refused(session, { summarizer, keep: { turns: 0 } }, "nothing_to_compact", { reason: "already_compacted" });
  expect(requests).toHaveLength(1);
});

test("CC-14 what is appended while a summary is written is stored, and the summary, of another place by now, is not", async () => {
  const session = await sessionOf(story);
  const { asked, release, summarizer } = pending();
  const compacting = compact(session, { keep, summarizer });
  await asked;
  const appended = await session.appendMessage(user("nine"));
  release();
  await expect(compacting).rejects.toMatchObject({ code: "leaf_moved", details: { expected: "a2", actual: appended } });
  expect(await session.findEntries("compaction")).toEqual([]);
  expect((await told(session)).at(-1)).toBe("nine");
});

test("an append that is under way when the summary is ready counts as well", async () => {
  const session = await sessionOf(story);
  const preparation = await planCompaction(session, { keep });
  const appended = session.appendMessage(user("nine"));
  await expect(commitCompaction(session, preparation, { summary: "S" })).rejects.toMatchObject({ code: "leaf_moved" });
  expect(session.leafId).toBe(await appended);
});

test("CC-16 of two compactions at once one is stored", async () => {
  const session = await sessionOf(story);
  const { summarizer } = scripted("S");
  const outcomes = await Promise.allSettled([
    compact(session, { keep, summarizer }),
    compact(session, { keep, summarizer }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "leaf_moved" } });
  expect(await session.findEntries("compaction")).toHaveLength(1);
});

test("a compaction of a conversation that another process continued meanwhile is refused", async () => {
  const { session, reopened } = await openStory(story);
  const other = await reopened();
  const { asked, release, summarizer } = pending();
  const compacting = compact(session, { keep, summarizer });
  await asked;
  await other.appendLabel("u1", "marks are no continuation");
  const actual = await other.appendMessage(user("went on"));
  release();
  await expect(compacting).rejects.toMatchObject({ code: "leaf_moved", details: { expected: "a2", actual } });
  expect(session.leafId).toBe("a2");
  expect((await session.refresh()).entries.map(({ type }) => type)).toEqual(["label", "message"]);
});

test("CM-16 a summary that the log didn't take is not in force, now or after reopening", async () => {
  const records = new MemoryRecords(newHeader({}));
  const log = () => asyncLog(new MemoryLog(records));
  const session = await sessionOn(new FaultyLog(log(), [{ kind: "short_write", nth: 2, stored: 0 }]));
  await session.appendMessages([user("x".repeat(400)), assistant("1"), user("2")]);
  const before = await session.buildContext();
  await expect(compact(session, { keep, summarizer: scripted("S").summarizer })).rejects.toMatchObject({
    code: "storage_io",
  });
  expect(await session.buildContext()).toEqual(before);
  expect(await (await sessionOn(log())).buildContext()).toEqual(before);
});

test("CO-04 what the summary cost is stored with it and counted once", async () => {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.6 };
  const usage = { input: 192_000, output: 500, cacheRead: 0, cacheWrite: 0, totalTokens: 192_500, cost };
  const session = await sessionOf(story);
  const before = await session.getSessionStats();
  const { entry } = await compact(session, { keep, summarizer: scripted({ content: "S", usage }).summarizer });
  const after = await session.getSessionStats();
  expect(entry.usage).toEqual(usage);
  expect(after.totalTokens - before.totalTokens).toBe(192_500);
  expect(after.costTotal).toBeCloseTo((before.costTotal ?? 0) + 0.6);
});

test("pi-137 pi-130 pi-148 a summary of a hook is stored as it is: its cut, details, tail and data", async () => {
  const session = await sessionOf(story);
  const preparation = await planCompaction(session, { keep });
  const entry = await commitCompaction(session, preparation, {
    summary: "theirs, ".repeat(500),
    firstKeptEntryId: "a2",
    retainedTail: [],
    details: { any: "thing" },
    preserveData: { kept: true },
    fromHook: true,
  });
  expect(entry).toMatchObject({ firstKeptEntryId: "a2", retainedTail: [], details: { any: "thing" }, fromHook: true });
  expect(entry).toMatchObject({ parentId: "a2", tokensBefore: 202, preserveData: { kept: true } });
});

test("a summary of a hook that is empty, or keeps from where the context isn't, is refused", async () => {
  const session = await sessionOf(`${story}\nU(x1,a1,"another branch")\nP(l1,a2,a2)`);
  const preparation = await planCompaction(session, { keep });
  const before = await everything(session);
  const commit = (draft: object) => commitCompaction(session, preparation, { summary: "S", fromHook: true, ...draft });
  const empty = { code: "compaction", details: { reason: "empty" } };
  await expect(commit({ summary: " " })).rejects.toMatchObject(empty);
  const elsewhere = { code: "invalid_entry", details: { field: "firstKeptEntryId" } };
  await expect(commit({ firstKeptEntryId: "x1" })).rejects.toMatchObject(elsewhere);
  expect(await everything(session)).toEqual(before);
});

test("a second compaction hands on the first one's summary without its lists of files", async () => {
  const session = await sessionOf(story);
  const { requests, summarizer } = scripted("S\n\n<read-files>\na.ts\n</read-files>");
  await compact(session, { keep, summarizer });
  await session.appendMessages([user("x".repeat(400)), assistant("1"), user("2")]);
  await compact(session, { keep, summarizer });
  expect(requests.map(({ previousSummary }) => previousSummary)).toEqual([undefined, "S"]);
  expect(idsOf((await session.getEntries()).filter(({ type }) => type === "compaction"))).toHaveLength(2);
  expect((await session.buildContext()).messages.filter(({ role }) => role === "compactionSummary")).toHaveLength(1);
});

test("CM-21 entries before a compaction that is appended with them are stored, and the context starts at it", async () => {
  const session = await sessionOf("");
  const writes = [
    session.appendMessage(user("1")),
    session.appendMessage(assistant("2")),
    session.appendCompaction({ summary: "S", tokensBefore: 9 }),
    session.appendMessage(assistant("3")),
  ];
  const ids = await Promise.all(writes);
  expect(idsOf(await session.getEntries())).toEqual(ids);
  expect(await told(session)).toEqual(["S", "3"]);
});

test("a compaction reads the active part of the path and nothing above it", async () => {
  const session = await sessionOf(story);
  await compact(session, { keep, summarizer: scripted("S").summarizer });
  const [entry] = (await session.findEntries("compaction")) as readonly CompactionEntry[];
  const active = await session.getActivePath();
  expect(idsOf(active)).toEqual(["u2", "a2", entry?.id]);
});
