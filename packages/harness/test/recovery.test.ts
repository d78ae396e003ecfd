import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assistant, type BatchItem, Session } from "bough";
import { toLlmMessages } from "bough/context";
import { JsonlRepo } from "bough/jsonl";
import { MemoryStorage } from "bough/memory";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../bough/test/support/temporary-folder.ts";
import { AgentHarness, type HarnessTool } from "../src/index.ts";
import { calls, pathOf, says, scripted, tool } from "./support/scripted.ts";

const call = (id: string, name: string) => ({ type: "toolCall" as const, id, name, arguments: { text: id } });
const operation = (name: string, data: unknown, id?: string): BatchItem => ({
  kind: "operation",
  name,
  data,
  ...(id && { id }),
});

/** What a process leaves that dies while these calls run: one reply, and intents for the names in `started`. */
async function died(callNames: readonly string[], started: Readonly<Record<string, string>>) {
  const session = new Session(new MemoryStorage());
  await session.appendMessage({ role: "user", content: "go" });
  const content = callNames.map((name) => call(`call-${name}`, name));
  await session.appendBatch([operation("op_start", { kind: "prompt", inputs: [] }, "op")]);
  const reply = await session.appendMessage({ role: "assistant", content });
  for (const [toolName, replay] of Object.entries(started)) {
    const toolCallId = `call-${toolName}`;
    const data = {
      op: "op",
      reply,
      toolCallId,
      toolName,
      args: { text: "stored" },
      replay,
      result: `result-${toolName}`,
    };
    await session.appendBatch([operation("tool_intent", data, `intent-${toolName}`)]);
  }
  return session;
}

async function reopen(session: Session, tools: readonly HarnessTool[] = [], steps = [says("done")]) {
  const { models, model, faux } = scripted(steps);
  return { harness: await AgentHarness.open({ session, models, model, tools }), faux };
}

const outcomes = (harness: AgentHarness) =>
  harness.recovered.calls.map(({ toolName, outcome }) => `${toolName}: ${outcome}`);

test("calls without a result are closed as what is known of them, safe ones are run again with their arguments and key", async () => {
  const session = await died(["late", "safe", "unsafe", "asked", "clean"], {
    safe: "safe",
    unsafe: "unsafe",
    asked: "probe",
    clean: "probe",
  });
  const seen: unknown[] = [];
  const tools = [
    tool("late", () => "never", { replay: "safe" }),
    tool("safe", () => "", {
      replay: "safe",
      execute: async (_, args, _signal, _update, info) => {
        seen.push(args, info?.key);
        return { content: [{ type: "text", text: "again" }], details: undefined };
      },
    }),
    tool("unsafe", () => "never"),
    tool("asked", () => "never", {
      replay: "probe",
      probe: async (_, { key }) => ({ content: [{ type: "text", text: `found ${key}` }], details: undefined }),
    }),
    tool("clean", () => "never", { replay: "probe", probe: async () => "not_started" }),
  ];
  const { harness } = await reopen(session, tools);
  expect(outcomes(harness)).toEqual([
    ...["late: not_started", "safe: rerun", "unsafe: unknown", "asked: probed", "clean: not_started"],
  ]);
  expect(harness.recovered.status).toBe("interrupted");
  expect(seen).toEqual([{ text: "stored" }, "intent-safe"]);
  const path = await session.getBranch();
  expect(
    path
      .slice(2)
      .map(({ id }) => id)
      .slice(1),
  ).toEqual([...["result-safe", "result-unsafe", "result-asked", "result-clean"]]);
  const results = toLlmMessages((await session.buildContext()).messages).filter(({ role }) => role === "toolResult");
  expect(results.map((message) => "isError" in message && message.isError)).toEqual([true, false, true, false, true]);
  expect(await harness.continue()).toMatchObject({ status: "answered" });
});

test("a call is run again only if it was declared safe then and is now, and only once", async () => {
  const now = (replay: "safe" | "unsafe") => [tool("act", () => "again", { replay })];
  const wasUnsafe = await reopen(await died(["act"], { act: "unsafe" }), now("safe"));
  const isUnsafe = await reopen(await died(["act"], { act: "safe" }), now("unsafe"));
  const gone = await reopen(await died(["act"], { act: "safe" }));
  const second = await died(["act"], { act: "safe" });
  await second.appendBatch([operation("op_resume", { op: "op", calls: ["result-act"] })]);
  const again = await reopen(second, now("safe"));
  for (const { harness } of [wasUnsafe, isUnsafe, gone, again]) expect(outcomes(harness)).toEqual(["act: unknown"]);
});

test("that a call is about to be run again is written down before it is", async () => {
  const session = await died(["act"], { act: "safe" });
  let seen: unknown;
  const act = tool("act", async () => {
    const marks = (await session.findEntries("custom")).filter(({ customType }) => customType === "bough.op_resume");
    seen = marks.map(({ data }) => data);
    return "again";
  });
  await reopen(session, [{ ...act, replay: "safe" }]);
  expect(seen).toEqual([{ op: "op", calls: ["result-act"] }]);
});

test("CR-11 taking up a session closes it once, taking it up again writes nothing, and reading never does", async () => {
  const repo = new JsonlRepo({ root: temporaryFolder() });
  const session = await repo.create();
  await session.appendMessage({ role: "user", content: "build it" });
  await session.appendMessage({ role: "assistant", content: [call("k1", "act")] });
  const file = session.storage.ref.location as string;
  const before = readFileSync(file, "utf8");
  await session.buildContext();
  expect(readFileSync(file, "utf8")).toBe(before);
  const { harness } = await reopen(session);
  expect(outcomes(harness)).toEqual(["act: unknown"]);
  await harness.close();
  const closed = readFileSync(file, "utf8");
  expect(closed.split("\n").length - before.split("\n").length).toBe(1);
  const { harness: next } = await reopen(session);
  expect(next.recovered).toEqual({ status: "clean", calls: [] });
  await next.close();
  expect(readFileSync(file, "utf8")).toBe(closed);
  await repo.close();
  expect(join(file)).toBe(file);
});

test("an interrupted run goes on under its own name, and ends once", async () => {
  const session = await died(["act"], {});
  const { harness } = await reopen(session);
  await harness.continue();
  const ops = (await session.findEntries("custom")).map(({ customType, data }) => [customType, data]);
  expect(ops).toMatchObject([
    ["bough.op_start", {}],
    ["bough.op_resume", { op: "op", calls: [] }],
    ["bough.op_end", { op: "op", outcome: "answered" }],
  ]);
  await harness.close();
  const { harness: next } = await reopen(session);
  expect(next.recovered.status).toBe("clean");
});

test("a prompt takes the place of an interrupted run", async () => {
  const session = await died(["act"], {});
  const { harness } = await reopen(session);
  await harness.prompt("something else");
  const ends = (await session.findEntries("custom")).flatMap(({ customType, data }) =>
    customType === "bough.op_end" ? [(data as { outcome: string }).outcome] : [],
  );
  expect(ends).toEqual(["superseded", "answered"]);
});

test("a run whose answer is stored is over, though nobody could write that down", async () => {
  const session = await died([], {});
  await session.appendMessage({ role: "assistant", content: [{ type: "text", text: "done" }] });
  const { harness } = await reopen(session);
  expect(harness.recovered.status).toBe("clean");
  await expect(harness.continue()).rejects.toMatchObject({ code: "invalid_state" });
});

test("a run that ended its process three times is parked until somebody asks for it or says something", async () => {
  const session = await died(["act"], { act: "safe" });
  for (let resume = 0; resume < 2; resume++)
    await session.appendBatch([operation("op_resume", { op: "op", calls: [] })]);
  const ran: string[] = [];
  const act = [tool("act", () => String(ran.push("ran")), { replay: "safe" })];
  const { harness } = await reopen(session, act);
  expect([harness.recovered.status, outcomes(harness), ran]).toEqual(["parked", ["act: unknown"], []]);
  await expect(harness.continue()).rejects.toMatchObject({ code: "invalid_state" });
  await harness.close();
  const { harness: second } = await reopen(session, act);
  expect(second.recovered.status).toBe("parked");
  await expect(second.continue()).rejects.toMatchObject({ code: "invalid_state" });
  expect(await second.continue({ retryParked: true })).toMatchObject({ status: "answered" });
  await second.close();
  const { harness: third } = await reopen(session, act);
  expect(third.recovered.status).toBe("clean");
});

test("a run belongs to the place where it began: another branch starts clean, and coming back finds it", async () => {
  const session = await died(["act"], {});
  const reply = session.leafId as string;
  const first = (await session.getBranch())[0]?.id as string;
  await session.moveTo(null);
  const elsewhere = await session.appendMessage({ role: "user", content: "elsewhere" });
  const { harness } = await reopen(session, [], [says("fine"), says("back")]);
  expect(harness.recovered).toEqual({ status: "clean", calls: [] });
  await harness.continue();
  await harness.navigateTree(reply);
  expect(await harness.continue()).toMatchObject({ status: "answered" });
  const ends = (await session.findEntries("custom")).flatMap(({ customType, data }) =>
    customType === "bough.op_end" ? [(data as { op: string }).op] : [],
  );
  expect(ends[1]).toBe("op");
  expect([first, elsewhere].every((id) => typeof id === "string")).toBe(true);
});

test("without the marks of its runs a session is whole", async () => {
  const { models, model } = scripted([calls("act", {}), says("one"), says("two")]);
  const session = new Session(new MemoryStorage());
  const harness = await AgentHarness.open({ session, models, model, tools: [tool("act", () => "ok")] });
  await harness.nextTurn("before");
  await harness.prompt("go");
  await harness.prompt("on");
  const context = await session.buildContext();
  const path = await pathOf(session);
  const kept = (await session.getEntries()).filter(
    (entry) => !(entry.type === "custom" && entry.customType.startsWith("bough.")),
  );
  const bare = new Session(new MemoryStorage());
  await bare.storage.appendEntries(kept);
  expect(await pathOf(bare)).toEqual(path);
  expect(await bare.buildContext()).toEqual(context);
  expect((await bare.check()).ok).toBe(true);
});

test("a failing store rejects and leaves the run open", async () => {
  const { models, model } = scripted([calls("act", {}), says("done")]);
  const session = new Session(new MemoryStorage());
  let broken = false;
  const append = session.storage.append.bind(session.storage);
  session.storage.append = async (request) => {
    if (broken) throw new Error("the disk is full");
    return await append(request);
  };
  const harness = await AgentHarness.open({
    session,
    models,
    model,
    tools: [
      tool("act", () => {
        broken = true;
        return "done";
      }),
    ],
  });
  await expect(harness.prompt("go")).rejects.toThrow();
  expect(harness.phase).toBe("idle");
  broken = false;
  await harness.close();
  const { harness: next } = await reopen(session, [tool("act", () => "never")]);
  expect(next.recovered).toMatchObject({ status: "interrupted", calls: [{ outcome: "unknown" }] });
  expect(await next.continue()).toMatchObject({ status: "answered" });
});

test("opening reads back to the last prompt that was answered, and no further", async () => {
  const session = new Session(new MemoryStorage());
  for (let turn = 0; turn < 300; turn++) {
    await session.appendMessage({ role: "user", content: "q" });
    await session.appendMessage(assistant("a"));
  }
  const { harness } = await reopen(session, [], [says("one"), says("two")]);
  await harness.prompt("first");
  await harness.prompt("second");
  await harness.nextTurn("waits");
  await harness.close();
  let looked = 0;
  const heads = session.headsBackwards.bind(session);
  session.headsBackwards = function* () {
    for (const head of heads()) {
      looked++;
      yield head;
    }
  };
  const { harness: next } = await reopen(session);
  expect(next.queued("nextTurn")).toHaveLength(1);
  expect(looked).toBeLessThan(10);
});

test("what a failed run left queued is still there after a later answer that nobody could write down", async () => {
  const session = new Session(new MemoryStorage());
  const draft = { type: "message", message: { role: "user", content: "old", timestamp: 1 } };
  await session.appendBatch([operation("queue", { queue: "followUp", entryId: "waiting", draft })]);
  await session.appendMessage({ role: "user", content: "go" });
  await session.appendBatch([operation("op_start", { kind: "prompt", inputs: [] }, "op")]);
  await session.appendMessage(assistant("done"));
  const { harness } = await reopen(session);
  await harness.close();
  const { harness: next } = await reopen(session);
  expect(next.queued("followUp")).toMatchObject([{ content: "old" }]);
  await next.continue();
  expect((await pathOf(session)).slice(-2)).toEqual(["user: old", "assistant: done"]);
});

test("marks that say something else than a harness writes are passed over", async () => {
  const session = await died(["late"], {});
  const oddities: readonly unknown[] = [
    {},
    [],
    5,
    null,
    { op: 5, calls: 5, inputs: {}, entryIds: 5, entryId: {}, draft: 5 },
  ];
  const drafts = [{ type: "message", message: { role: "user" } }, { type: "leaf" }, { type: "custom" }];
  const queued = drafts.map((draft, index) => ({ queue: "steer", entryId: `q${index}`, draft }));
  const names = ["op_start", "op_end", "op_resume", "tool_intent", "queue", "queue_cleared"];
  for (const data of [...oddities, ...queued])
    for (const name of names) await session.appendBatch([operation(name, data)]);
  const { harness } = await reopen(session, [tool("late", () => "never")]);
  expect(outcomes(harness)).toEqual(["late: not_started"]);
  expect(await harness.continue()).toMatchObject({ status: "answered" });
});
