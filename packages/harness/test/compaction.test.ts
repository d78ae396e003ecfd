import { type CompactionPolicy, extractiveSummarizer, Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { expect, test } from "vitest";
import { AgentHarness, type HarnessEvent } from "../src/index.ts";
import { calls, open, pathOf, says, tool } from "./support/scripted.ts";

const long = (name: string, tokens: number) => `${name} ${"lorem ".repeat((tokens * 4) / 6)}`;
const note = "## Goal\nKeep on counting.\n## Progress\nCounted to three, which is done.";
const small = { contextWindow: 8_000, compaction: { reserveTokens: 2_000, keepRecentTokens: 350 } };
const provider = { models: [{ id: "small", contextWindow: small.contextWindow }] };
const unknownWindow = { models: [{ id: "served", contextWindow: 0 }] };
const { compaction } = small;

/** A session with so many tokens of history, in turns of two hundred. */
async function history(tokens: number): Promise<Session> {
  const session = new Session(new MemoryStorage());
  for (let turn = 0; turn < tokens / 200; turn++) {
    await session.appendMessages([
      { role: "user", content: long(`question ${turn}`, 100) },
      { role: "assistant", content: [{ type: "text", text: long(`answer ${turn}`, 100) }] },
    ]);
  }
  return session;
}

const summaries = (events: readonly HarnessEvent[]) => events.filter(({ type }) => type === "compaction_end");

test("pi-139 omp-89 compact stores what the model wrote, and tells exactly the stored entry once", async () => {
  const { harness, session, events } = await open([says(note)], { session: await history(4_000), compaction });
  const entry = await harness.compact();
  expect(entry).toEqual(await session.getLeafEntry());
  expect(entry.summary).toContain("Counted to three");
  expect(events.filter(({ type }) => type === "session_compact")).toEqual([
    { type: "session_compact", compactionEntry: entry, reason: "manual", fromHook: false, fromExtension: false },
  ]);
});

test("CM-11 the summariser is offered no tools and none of the agent's prompt", async () => {
  const seen: unknown[] = [];
  const { harness } = await open(
    [
      (context) => {
        seen.push(...context.messages.filter(({ role }) => role === "system"));
        return says(note);
      },
    ],
    { session: await history(4_000), compaction, tools: [tool("act", () => "")], systemPrompt: "You are a pirate." },
  );
  await harness.compact();
  expect(seen).toHaveLength(1);
  expect(JSON.stringify(seen)).not.toContain("pirate");
  expect((seen[0] as { toolsAdded?: unknown }).toolsAdded).toBeUndefined();
});

test("pi-133 pi-134 CM-10 a summary that is cut, calls a tool, or is aborted stores nothing", async () => {
  const { harness, session } = await open(
    [says(note, { stopReason: "length" }), calls("act", {}), says("", { stopReason: "error", errorMessage: "no" })],
    { session: await history(4_000), compaction },
  );
  const before = await session.getEntries();
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(harness.compact()).rejects.toMatchObject({ code: "compaction" });
  }
  harness.on("compaction_start", () => void harness.abort());
  await expect(harness.compact()).rejects.toMatchObject({ name: "AbortError" });
  expect(await session.getEntries()).toEqual(before);
  expect(harness.phase).toBe("idle");
});

test("pi-140 CC-16 compacting is refused while something is under way, and where there is nothing to gain", async () => {
  const { harness } = await open([says(note)], { session: await history(4_000), compaction });
  const first = harness.compact();
  await expect(harness.compact()).rejects.toMatchObject({ code: "busy" });
  await first;
  await expect(harness.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
});

test("pi-136 omp-84 omp-85 a hook sees what is planned and may cancel, and no model is asked", async () => {
  const { harness, faux } = await open([says(note)], { session: await history(4_000), compaction });
  const seen: unknown[] = [];
  harness.on("session_before_compact", ({ preparation, branchEntries, customInstructions, signal, reason }) => {
    seen.push([preparation.firstKeptEntryId, branchEntries.length, customInstructions, signal.aborted, reason]);
    return { cancel: true };
  });
  harness.on("session_before_compact", () => void seen.push("asked all the same"));
  await expect(harness.compact({ instructions: "be brief" })).rejects.toMatchObject({
    code: "compaction",
    details: { reason: "cancelled" },
  });
  expect(seen).toEqual([[expect.any(String), 40, "be brief", false, "manual"]]);
  expect(faux.getPendingResponseCount()).toBe(1);
});

test("pi-137 omp-86 pi-148 a hook's compaction is stored with its own fields, and an empty answer erases nothing", async () => {
  const { harness, faux } = await open([says(note)], { session: await history(4_000), compaction });
  let asked = 0;
  harness.on("session_before_compact", ({ preparation }) => ({
    compaction: { summary: "mine", tokensBefore: preparation.tokensBefore, details: { a: 1 }, preserveData: { b: 2 } },
  }));
  harness.on("session_before_compact", () => ({}));
  harness.on("session.compacting", () => void asked++);
  const entry = await harness.compact();
  expect(entry).toMatchObject({ summary: "mine", details: { a: 1 }, preserveData: { b: 2 }, fromHook: true });
  expect([asked, faux.getPendingResponseCount()]).toEqual([0, 1]);
});

test("pi-138 omp-87 a hook that throws is told of, and the summary is made all the same", async () => {
  const { harness, events } = await open([says(note)], { session: await history(4_000), compaction });
  harness.on("session_before_compact", () => Promise.reject(new Error("broken")));
  expect((await harness.compact()).fromHook).toBeUndefined();
  expect(events.filter(({ type }) => type === "hook_error")).toHaveLength(1);
});

test.each([
  ["keeps from an entry that isn't there", { firstKeptEntryId: "nowhere" }],
  ["has a function in its details", { details: { run: () => 1 } }],
  ["keeps a message that is none", { retainedTail: [{ role: 5 }] }],
  ["says nothing", { summary: " " }],
  ["makes the context no smaller", { summary: long("word for word", 6_000) }],
])("a hook's compaction that %s is told of as its owner's failure, and the summariser writes one", async (_, wrong) => {
  const { harness, session, events } = await open(
    [says("hello"), says("again")],
    { session: await history(6_200), compaction, summarizer: async () => ({ content: note }) },
    provider,
  );
  const answer = () => ({ compaction: { summary: "All of it in a line.", ...wrong } }) as never;
  harness.on("session_before_compact", answer, { source: "careless" });
  expect(await harness.prompt("hi")).toMatchObject({ status: "answered" });
  expect(events.filter(({ type }) => type === "hook_error")).toMatchObject([
    { hook: "session_before_compact", source: "careless" },
  ]);
  expect((await session.findEntries("compaction")).map(({ summary }) => summary)).toEqual([
    expect.stringContaining("Counted to three"),
  ]);
  expect(await harness.prompt("on")).toMatchObject({ status: "answered" });
});

test("data that a hook wants kept with a compaction and nobody can store is told of and left out", async () => {
  const { harness, events } = await open([says(note)], { session: await history(4_000), compaction });
  harness.on("session.compacting", () => ({ preserveData: { run: () => 1 } }), { source: "careless" });
  expect((await harness.compact()).preserveData).toBeUndefined();
  expect(events.filter(({ type }) => type === "hook_error")).toMatchObject([{ source: "careless" }]);
});

test("of a hook's compaction the size before is measured, and without a word about it the planned end is kept", async () => {
  const { harness } = await open([], { session: await history(4_000), compaction });
  const planned: unknown[] = [];
  harness.on("session_before_compact", ({ preparation }) => {
    planned.push(preparation.tokensBefore, preparation.firstKeptEntryId);
    return { compaction: { summary: "mine", tokensBefore: 1, firstKeptEntryId: undefined as never } };
  });
  const entry = await harness.compact();
  expect([entry.tokensBefore, entry.firstKeptEntryId]).toEqual(planned);
});

test("with an empty tail a hook's compaction keeps nothing", async () => {
  const { harness, session } = await open([], { session: await history(4_000), compaction });
  harness.on("session_before_compact", () => ({ compaction: { summary: "mine", retainedTail: [] } }));
  await harness.compact();
  expect((await session.buildContext()).messages).toMatchObject([{ role: "compactionSummary", summary: "mine" }]);
});

test("omp-88 session.compacting replaces the prompt, adds lines, and keeps data", async () => {
  const seen: string[] = [];
  const { harness } = await open(
    [
      (context) => {
        seen.push(JSON.stringify(context.messages));
        return says(note);
      },
    ],
    { session: await history(4_000), compaction },
  );
  harness.on("session.compacting", () => ({ context: ["mind the gap"], prompt: "Write a limerick." }));
  harness.on("session.compacting", () => ({ context: ["and the step"], preserveData: { kept: true } }));
  const entry = await harness.compact({ instructions: "overruled" });
  expect(entry.preserveData).toEqual({ kept: true });
  for (const text of ["Write a limerick.", "mind the gap", "and the step"]) expect(seen[0]).toContain(text);
  expect(seen[0]).not.toContain("overruled");
});

test("CM-23 the threshold is looked at before the first request after opening, and no request exceeds the window", async () => {
  const sizes: number[] = [];
  const { harness, session, events } = await open(
    [note, note, note, "hello"].map((text) => (context) => {
      sizes.push(JSON.stringify(context.messages).length / 4);
      return says(text);
    }),
    { session: await history(12_000), compaction },
    provider,
  );
  expect(await harness.prompt("hi")).toMatchObject({ status: "answered" });
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThan(small.contextWindow);
  expect((await pathOf(session)).slice(-3)).toEqual(["user: hi", "compaction", "assistant: hello"]);
  expect(summaries(events)).toMatchObject([{ reason: "threshold", aborted: false }]);
  expect(events.findIndex(({ type }) => type === "message_end")).toBeLessThan(
    events.findIndex(({ type }) => type === "compaction_start"),
  );
});

test("pi-118 a policy that is off never compacts by itself, and asking works all the same", async () => {
  const off = { session: await history(12_000), compaction: { ...compaction, enabled: false } };
  const { harness, events } = await open([says("hello"), says(note), says(note), says(note)], off, provider);
  await harness.prompt("hi");
  expect(summaries(events)).toEqual([]);
  expect((await harness.compact()).type).toBe("compaction");
});

test("pi-144 between turns the context is compacted, calls stay with their results, and steering is not lost", async () => {
  const { harness, session, events } = await open(
    [calls("read", { text: "a" }, "1"), says(note), calls("read", { text: "b" }, "2"), says(note), says("done")],
    {
      compaction,
      tools: [
        tool("read", async ({ text }) => {
          if (text === "a") await harness.steer("faster");
          return long(text, 6_500);
        }),
      ],
    },
    provider,
  );
  const outcome = await harness.prompt("go");
  expect(summaries(events).map((event) => (event as { reason: string }).reason)).toContain("threshold");
  expect(outcome.status).toBe("answered");
  expect((await session.buildContext()).messages.length).toBeGreaterThan(1);
  expect((await pathOf(session)).filter((line) => line === "user: faster")).toHaveLength(1);
});

const overflow = () =>
  says("", { stopReason: "error", errorMessage: "prompt is too long: 9000 tokens > 8000 maximum" });

test("pi-141 an overflow hides the attempt, compacts and is asked again once", async () => {
  const { harness, session, events } = await open([overflow(), says(note), says("fine")], {
    session: await history(4_000),
    compaction,
  });
  expect(await harness.prompt("hi")).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).slice(-5)).toEqual([
    ...["user: hi", "assistant: ", "context_edit", "compaction", "assistant: fine"],
  ]);
  expect(summaries(events)).toMatchObject([{ reason: "overflow", willRetry: true }]);
  expect(JSON.stringify((await session.buildContext()).messages)).not.toContain("too long");
});

test("pi-143 an overflow of another model, left in the history, is none of this one's", async () => {
  const session = await history(4_000);
  const failed = {
    api: "x",
    provider: "other",
    model: "tiny",
    stopReason: "error",
    errorMessage: "prompt is too long",
  };
  await session.appendMessage({ role: "assistant", content: [], ...failed });
  const { harness, events } = await open([says("fine")], { session, compaction });
  expect(await harness.prompt("hi")).toMatchObject({ status: "answered" });
  expect(summaries(events)).toEqual([]);
});

test("an overflow well below the policy's size is compacted to half of it, and not at all where that is turned off", async () => {
  const overflown = async (policy: CompactionPolicy) => {
    const steps = [overflow(), says(note), says("fine")];
    const opened = await open(steps, { session: await history(4_000), compaction: policy }, unknownWindow);
    return { ...opened, outcome: await opened.harness.prompt("hi") };
  };
  const { session, outcome } = await overflown({});
  expect(outcome.status).toBe("answered");
  expect((await session.buildContext()).messages.length).toBeLessThan(24);
  const off = await overflown({ enabled: false });
  expect(off.outcome).toMatchObject({
    status: "failed",
    error: { code: "compaction", details: { reason: "overflow" } },
  });
  expect(summaries(off.events)).toEqual([]);
  expect((await off.harness.compact({ keep: { turns: 1 } })).summary).toContain("Counted");
});

test("pi-141 CM-08 a second overflow ends with an error that says so, and so does one that can't be compacted", async () => {
  const { harness, faux } = await open([overflow(), says(note), overflow(), says("never")], {
    session: await history(4_000),
    compaction,
  });
  expect(await harness.prompt("hi")).toMatchObject({
    status: "failed",
    error: { code: "compaction", details: { reason: "overflow" } },
    message: { stopReason: "error" },
  });
  expect(faux.getPendingResponseCount()).toBe(1);
  const { harness: begun } = await open([overflow(), says("never")], { compaction });
  const refused = await begun.prompt("one message, which is too large");
  expect(refused).toMatchObject({ status: "failed", error: { details: { reason: "overflow" } } });
});

test("CM-08 a compaction that makes too little room is not repeated: the run ends with an error", async () => {
  let turns = 0;
  const steps = Array.from({ length: 40 }, () => () => calls("read", {}, `call-${turns++}`));
  const { harness, events } = await open(
    steps,
    {
      compaction: { reserveTokens: 2_000, keepRecentTokens: 500 },
      summarizer: async () => ({ content: long("still much", 6_300) }),
      tools: [tool("read", () => long("part", 900))],
    },
    provider,
  );
  expect(await harness.prompt("go")).toMatchObject({ status: "failed", error: { details: { reason: "no_progress" } } });
  expect(summaries(events).length).toBeLessThanOrEqual(2);
  expect(turns).toBeLessThan(15);
});

test("pi-142 a reply that is over the window is kept, and the next request is compacted first", async () => {
  const { harness, session, events } = await open(
    [says(long("very much", 6_500)), says(note), says("ok")],
    { compaction },
    provider,
  );
  await harness.prompt("write");
  expect(summaries(events)).toEqual([]);
  await harness.prompt("go on");
  expect(summaries(events)).toMatchObject([{ reason: "threshold" }]);
  expect((await pathOf(session)).at(-1)).toBe("assistant: ok");
});

test("pi-135 a transient failure of the summariser is tried again, and there is one entry", async () => {
  const { harness, session, events } = await open(
    [says("", { stopReason: "error", errorMessage: "503 service unavailable" }), says(note)],
    { session: await history(4_000), compaction, retry: { baseDelayMs: 1 } },
  );
  await harness.compact();
  expect(await session.findEntries("compaction")).toHaveLength(1);
  expect(events.filter(({ type }) => type.startsWith("retry")).map((event) => event)).toMatchObject([
    { type: "retry_scheduled", operation: "compaction", attempt: 1 },
    { type: "retry_attempt_start" },
    { type: "retry_finished", success: true },
  ]);
});

test("CM-20 what is queued during a compaction is said after it, in order, also when it fails", async () => {
  const { harness, session, faux } = await open([says(note), says("one"), says("two")], {
    session: await history(4_000),
    compaction,
  });
  harness.on("compaction_start", async () => {
    await harness.followUp("first");
    await harness.followUp("second");
  });
  await harness.compact();
  expect((await pathOf(session)).slice(-4)).toEqual([
    "user: first",
    "assistant: one",
    "user: second",
    "assistant: two",
  ]);
  faux.setResponses([says("three"), says("four")]);
  await expect(harness.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
  expect((await pathOf(session)).slice(-4)).toEqual([
    ...["user: first", "assistant: three", "user: second", "assistant: four"],
  ]);
});

test("CC-14 AP-07 CM-17 handles live on after compactions, and the context is the same after reopening", async () => {
  const { harness, session, models } = await open([says("later")], {
    session: await history(4_000),
    compaction,
    summarizer: extractiveSummarizer,
  });
  await harness.compact();
  await session.appendMessage({ role: "user", content: "still here" });
  await harness.continue();
  const context = await session.buildContext();
  await harness.close();
  const again = await AgentHarness.open({ session, models });
  expect(await again.session.buildContext()).toEqual(context);
});
