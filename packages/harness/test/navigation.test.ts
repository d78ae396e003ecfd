import { Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { expect, test } from "vitest";
import type { HarnessOptions } from "../src/index.ts";
import { open, pathOf, says, tool } from "./support/scripted.ts";

const note = "## Goal\nTry it the other way.";
type Steps = Parameters<typeof open>[0];

/** u1 a1, then two attempts: u2 a2 (labelled nothing) and u3 a3, where the leaf is. */
async function branched(steps: Steps = [], options: Partial<HarnessOptions> = {}) {
  const session = new Session(new MemoryStorage());
  const say = (role: "user" | "assistant", text: string) =>
    session.appendMessage({ role, content: [{ type: "text", text }] });
  const u1 = await say("user", "one");
  const a1 = await say("assistant", "1");
  const u2 = await say("user", "two");
  const a2 = await say("assistant", "2");
  await session.moveTo(a1);
  const u3 = await say("user", "three");
  const a3 = await say("assistant", "3");
  return { ...(await open(steps, { ...options, session })), session, u1, a1, u2, a2, u3, a3 };
}

test("pi-149 pi-161 omp-107 omp-108 a hook sees where it goes, what is left, and what is wanted", async () => {
  const { harness, a1, u2, a2, u3, a3, u1 } = await branched([says(note)]);
  const seen: unknown[] = [];
  harness.on("session_before_tree", ({ preparation: { entriesToSummarize, ...rest } }) => {
    seen.push({ ...rest, left: entriesToSummarize.map(({ id }) => id) });
    return { cancel: true };
  });
  await harness.navigateTree(a2, { summarize: true, customInstructions: "c", label: "l" });
  await harness.navigateTree(u1);
  await harness.navigateTree(a1);
  const common = { oldLeafId: a3, userWantsSummary: false };
  expect(seen).toEqual([
    {
      ...{ ...common, targetId: a2, commonAncestorId: a1, left: [u3, a3] },
      ...{ userWantsSummary: true, customInstructions: "c", label: "l" },
    },
    { ...common, targetId: u1, commonAncestorId: u1, left: [a1, u3, a3] },
    { ...common, targetId: a1, commonAncestorId: a1, left: [u3, a3] },
  ]);
  expect(u2).not.toBe(a2);
});

test("pi-150 omp-107 going down leaves nothing behind, and makes no summary", async () => {
  const { harness, session, u1, a3, faux } = await branched([says(note)]);
  await session.moveTo(u1);
  const count = (await session.getEntries()).length;
  expect(await harness.navigateTree(a3, { summarize: true })).toEqual({ cancelled: false });
  expect([session.leafId, (await session.getEntries()).length - count]).toEqual([a3, 1]);
  expect(faux.getPendingResponseCount()).toBe(1);
});

test("pi-152 omp-109 the user's words: the leaf goes before them, and they come back; the first ones leave no leaf", async () => {
  const { harness, session, u2, a1, u1 } = await branched();
  expect(await harness.navigateTree(u2)).toEqual({ cancelled: false, editorText: "two" });
  expect(session.leafId).toBe(a1);
  expect(await harness.navigateTree(u1)).toEqual({ cancelled: false, editorText: "one" });
  expect(session.leafId).toBeNull();
});

test("pi-153 pi-154 omp-110 a note is treated as words, anything else as a place", async () => {
  const { harness, session, a3, a2 } = await branched();
  const noteId = await session.appendCustomMessageEntry({ customType: "x", content: "remember" });
  await session.appendMessage({ role: "user", content: "more" });
  expect(await harness.navigateTree(noteId)).toEqual({ cancelled: false, editorText: "remember" });
  expect(session.leafId).toBe(a3);
  expect(await harness.navigateTree(a2)).toEqual({ cancelled: false });
  expect(session.leafId).toBe(a2);
});

test("pi-155 omp-111 going where one is does nothing, asks nobody and tells nobody", async () => {
  const { harness, session, a3, events } = await branched();
  let asked = 0;
  harness.on("session_before_tree", () => void asked++);
  const before = await session.getEntries();
  expect(await harness.navigateTree(a3, { summarize: true, label: "x" })).toEqual({ cancelled: false });
  expect([await session.getEntries(), asked]).toEqual([before, 0]);
  expect(events.filter(({ type }) => type === "session_tree")).toEqual([]);
});

test("pi-156 pi-166 omp-115 a move without a summary stores the move only and tells where it went", async () => {
  const { harness, session, a2, a3, events } = await branched();
  await harness.navigateTree(a2);
  expect(await session.findEntries("branch_summary")).toEqual([]);
  expect(events.filter(({ type }) => type === "session_tree")).toEqual([
    { type: "session_tree", newLeafId: a2, oldLeafId: a3 },
  ]);
});

test("pi-157 pi-158 pi-171 omp-114 the summary hangs from where the leaf goes, names the leaf that was left, and is the leaf", async () => {
  const { harness, session, u2, a1, a3, events } = await branched([says(note)]);
  const outcome = await harness.navigateTree(u2, { summarize: true });
  const entry = await session.getLeafEntry();
  expect((await session.getBranch(a3)).at(-1)?.id).toBe(a3);
  expect(entry).toMatchObject({ type: "branch_summary", parentId: a1, fromId: a3 });
  expect(outcome).toEqual({ cancelled: false, editorText: "two", summaryEntry: entry });
  const told = { newLeafId: entry?.id, oldLeafId: a3, summaryEntry: entry, fromHook: false, fromExtension: false };
  expect(events.filter(({ type }) => type === "session_tree")).toEqual([{ type: "session_tree", ...told }]);
});

test("omp-114 the summary of what is left for before the first words is a root", async () => {
  const { harness, session, u1 } = await branched([says(note)]);
  await harness.navigateTree(u1, { summarize: true });
  expect(await session.getLeafEntry()).toMatchObject({ type: "branch_summary", parentId: null });
});

test("pi-159 omp-112 an abort while summarising changes nothing", async () => {
  const { harness, session, a2, a3 } = await branched([], {
    summarizer: (_, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        void harness.abort();
      }),
  });
  const before = await session.getEntries();
  expect(await harness.navigateTree(a2, { summarize: true })).toEqual({ cancelled: true, aborted: true });
  expect([session.leafId, await session.getEntries()]).toEqual([a3, before]);
  const controller = new AbortController();
  controller.abort();
  const refused = harness.navigateTree(a2, { signal: controller.signal });
  await expect(refused).rejects.toMatchObject({ name: "AbortError" });
});

test("pi-160 a summary that can't be made rejects and changes nothing; without one the move works", async () => {
  const { harness, session, a2, a3 } = await branched([says("", { stopReason: "error", errorMessage: "no" })]);
  const failing = harness.navigateTree(a2, { summarize: true });
  await expect(failing).rejects.toMatchObject({ code: "branch_summary" });
  expect(session.leafId).toBe(a3);
  expect(await harness.navigateTree(a2)).toEqual({ cancelled: false });
});

test("pi-162 pi-213 omp-112 the first handler that cancels ends the asking, and nothing changes", async () => {
  const { harness, session, a2, a3 } = await branched();
  let asked = 0;
  harness.on("session_before_tree", () => ({ cancel: true }));
  harness.on("session_before_tree", () => void asked++);
  expect(await harness.navigateTree(a2)).toEqual({ cancelled: true });
  expect([session.leafId, asked]).toEqual([a3, 0]);
});

test("pi-163 omp-113 a hook's summary is used only where one was asked for, with its details", async () => {
  const { harness, session, a2, a3, faux } = await branched([says(note)]);
  harness.on("session_before_tree", () => ({ summary: { summary: "mine", details: { a: 1 } } }));
  harness.on("session_before_tree", () => ({}));
  await harness.navigateTree(a2);
  expect(await session.findEntries("branch_summary")).toEqual([]);
  await harness.navigateTree(a3, { summarize: true });
  expect(await session.getLeafEntry()).toMatchObject({ summary: "mine", details: { a: 1 }, fromHook: true });
  expect(faux.getPendingResponseCount()).toBe(1);
});

test("a hook's summary that can't be stored is told of, and the summariser writes one", async () => {
  const { harness, session, a2, events } = await branched([says(note)]);
  const summary = { summary: "mine", details: { run: () => 1 } };
  harness.on("session_before_tree", () => ({ summary }), { source: "careless" });
  await harness.navigateTree(a2, { summarize: true });
  expect(await session.getLeafEntry()).toMatchObject({
    type: "branch_summary",
    summary: expect.stringContaining("Goal"),
  });
  expect(events.filter(({ type }) => type === "hook_error")).toMatchObject([{ source: "careless" }]);
});

test("pi-164 pi-168 a hook may change instructions and label; instructions are added, or replace what is told", async () => {
  const requests: unknown[] = [];
  const { harness, session, a2, a3 } = await branched([], {
    summarizer: async ({ instructions, replaceInstructions }) => {
      requests.push([instructions, replaceInstructions]);
      return { content: note };
    },
  });
  const off = harness.on("session_before_tree", () => ({ customInstructions: "other", label: "theirs" }));
  await harness.navigateTree(a2, {
    summarize: true,
    customInstructions: "mine",
    replaceInstructions: true,
    label: "mine",
  });
  expect(await session.getLabel(session.leafId as string)).toBe("theirs");
  off();
  await harness.navigateTree(a3, { summarize: true, customInstructions: "mine" });
  expect(requests).toEqual([
    ["other", true],
    ["mine", undefined],
  ]);
});

test("pi-165 a label goes on the summary, else on the target", async () => {
  const { harness, session, a2, a3 } = await branched([says(note)]);
  await harness.navigateTree(a2, { label: "there" });
  expect(await session.getLabel(a2)).toBe("there");
  expect(session.leafId).toBe(a2);
  await harness.navigateTree(a3, { label: "summed", summarize: true });
  expect(await session.getLabel(session.leafId as string)).toBe("summed");
  expect(await session.getLabel(a3)).toBeUndefined();
});

test("pi-167 where nothing was said on the branch there is no summary", async () => {
  const { harness, session, a3, a1, faux } = await branched([says(note)]);
  await session.moveTo(a1);
  await session.appendCustomEntry("state", { x: 1 });
  expect(await harness.navigateTree(a3, { summarize: true })).toEqual({ cancelled: false });
  expect(await session.findEntries("branch_summary")).toEqual([]);
  expect(faux.getPendingResponseCount()).toBe(1);
});

test("pi-170 omp-117 moving is refused in the middle of a run, and an unknown target always", async () => {
  const { harness, session, a2, a3 } = await branched([says("later")]);
  const running = harness.prompt("go on");
  await expect(harness.navigateTree(a2)).rejects.toMatchObject({ code: "busy" });
  await running;
  await expect(harness.navigateTree("nowhere")).rejects.toMatchObject({ code: "not_found" });
  expect((await session.getBranch()).map(({ id }) => id)).toContain(a3);
});

test("pi-151 above a compaction only what is left behind is listed", async () => {
  const { harness, session, u1, a1, u3, a3 } = await branched();
  const compaction = await session.appendCompaction({ summary: "s", tokensBefore: 9 });
  const last = await session.appendMessage({ role: "user", content: "after" });
  const seen: string[][] = [];
  harness.on("session_before_tree", ({ preparation }) => {
    seen.push(preparation.entriesToSummarize.map(({ id }) => id));
    return { cancel: true };
  });
  await harness.navigateTree(a1);
  expect(seen).toEqual([[u3, a3, compaction, last]]);
  expect(u1).not.toBe(a1);
});

test("what was in force at a place is in force again when one goes there", async () => {
  const tools = [tool("a", () => ""), tool("b", () => "")];
  const { harness, session, a2, a3, model } = await branched([says("x")], { tools, thinkingLevel: "off" });
  await harness.setThinkingLevel("high");
  await harness.setActiveTools(["b"]);
  const high = session.leafId as string;
  await harness.navigateTree(a2);
  expect([harness.thinkingLevel, harness.activeToolNames, harness.model]).toEqual(["high", ["b"], model]);
  await harness.navigateTree(high);
  expect([harness.thinkingLevel, harness.activeToolNames]).toEqual(["high", ["b"]]);
  await harness.navigateTree(a3);
  await harness.prompt("go");
  expect((await pathOf(session)).slice(-5)).toEqual([
    ...["model_change", "thinking_level_change", "active_tools_change", "user: go", "assistant: x"],
  ]);
});
