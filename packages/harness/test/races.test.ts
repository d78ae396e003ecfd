import { Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { expect, test } from "vitest";
import { AgentHarness } from "../src/index.ts";
import { calls, open, pathOf, says, scripted, tool } from "./support/scripted.ts";

/** A session that calls back right before a mark of a type is written, and right after. */
function watched(customType: string, at: "before" | "after", run: () => unknown): Session {
  const session = new Session(new MemoryStorage());
  const append = session.storage.append.bind(session.storage);
  session.storage.append = async (request) => {
    const isIt = JSON.stringify(request).includes(customType);
    if (isIt && at === "before") await run();
    const ids = await append(request);
    if (isIt && at === "after") await run();
    return ids;
  };
  return session;
}

const opEnd = '"name":"op_end"';

test.each(["before", "after"] as const)(
  "steering %s the end of a run is written down is answered, not left behind",
  async (at) => {
    let once = true;
    const session: Session = watched(opEnd, at, async () => {
      if (once) await harness.steer("one more thing");
      once = false;
    });
    const { harness } = await open([says("one"), says("two")], { session });
    expect(await harness.prompt("go")).toMatchObject({ status: "answered", message: { content: [{ text: "two" }] } });
    expect((await pathOf(session)).slice(1)).toEqual([
      "user: go",
      "assistant: one",
      "user: one more thing",
      "assistant: two",
    ]);
  },
);

test.each(["before", "after"] as const)(
  "an abort %s the end of a run is written down changes nothing any more",
  async (at) => {
    const session: Session = watched(opEnd, at, () => void harness.abort());
    const { harness } = await open([says("one"), says("two")], { session });
    expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
    expect(await harness.prompt("on")).toMatchObject({ status: "answered" });
  },
);

test.each(["before", "after"] as const)(
  "an abort %s a tool's intent is written down leaves the call with one result",
  async (at) => {
    const session: Session = watched('"name":"tool_intent"', at, () => void harness.abort());
    let ran = 0;
    const { harness } = await open([calls("act", {})], { session, tools: [tool("act", () => String(++ran))] });
    expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
    const results = (await pathOf(session)).filter((line) => line.startsWith("toolResult"));
    expect(results).toHaveLength(1);
    expect(ran).toBeLessThanOrEqual(1);
  },
);

test("aborting twice, and while nothing is under way, is no trouble", async () => {
  const { harness } = await open([says("a long answer that takes its time")], {}, { tokensPerSecond: 100 });
  expect(await harness.abort()).toEqual({ steer: [], followUp: [] });
  const running = harness.prompt("go");
  await Promise.all([harness.abort(), harness.abort()]);
  expect(await running).toMatchObject({ status: "aborted" });
});

test("closing ends a run, waits for it, and settles what it was asked", async () => {
  const { harness, session, models } = await open([calls("act", {})], {
    tools: [
      tool("act", async () => {
        closing = harness.close();
        return "ok";
      }),
    ],
  });
  let closing: Promise<void> | undefined;
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  await closing;
  const next = await AgentHarness.open({ session, models });
  expect(next.recovered).toEqual({ status: "clean", calls: [] });
});

test("a closed harness writes nothing any more, and says so", async () => {
  const { harness, session, model } = await open([says("one")]);
  await harness.prompt("go");
  await harness.close();
  const before = await session.getEntries();
  for (const act of [
    () => harness.prompt("x"),
    () => harness.steer("x"),
    () => harness.nextTurn("x"),
    () => harness.appendMessage("x"),
    () => harness.appendLabel(before[0]?.id as string, "x"),
    () => harness.setModel(model),
    () => harness.setThinkingLevel("high"),
    () => harness.setActiveTools([]),
  ]) {
    await expect(act()).rejects.toMatchObject({ code: "closed" });
  }
  expect(await session.getEntries()).toEqual(before);
});

test("another model set while a request is on its way is the next request's", async () => {
  const { models, faux } = scripted([], { models: [{ id: "one" }, { id: "two" }] });
  const session = new Session(new MemoryStorage());
  const [one, two] = faux.models;
  const asked: string[] = [];
  const step =
    (reply: ReturnType<typeof says>) => async (_: unknown, __: unknown, ___: unknown, model: { id: string }) => {
      asked.push(model.id);
      if (asked.length === 1) await harness.setModel(two as typeof one);
      return reply;
    };
  faux.setResponses([step(calls("act", {})), step(says("done"))]);
  const harness = await AgentHarness.open({ session, models, model: one, tools: [tool("act", () => "ok")] });
  await harness.prompt("go");
  expect(asked).toEqual(["one", "two"]);
  expect((await session.buildContext()).model).toMatchObject({ modelId: "two" });
});

test("a message of another process during a turn becomes a branch of its own", async () => {
  const { harness, session } = await open([calls("act", {}), says("done")], {
    tools: [
      tool("act", async () => {
        await session.at(session.leafId).appendMessage({ role: "user", content: "from elsewhere" });
        return "ok";
      }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).slice(1)).toEqual([
    "user: go",
    "assistant: <act>",
    "toolResult: ok",
    "assistant: done",
  ]);
  expect(await session.branches()).toHaveLength(2);
});

test("a tool that goes on after its turn failed writes nothing into the next one", async () => {
  const session = new Session(new MemoryStorage());
  const append = session.storage.append.bind(session.storage);
  let isFull = false;
  session.storage.append = async (request) => {
    if (isFull) throw new Error("the disk is full");
    return await append(request);
  };
  const slow = Promise.withResolvers<string>();
  const two = says([
    { type: "toolCall", id: "1", name: "quick", arguments: {} },
    { type: "toolCall", id: "2", name: "slow", arguments: {} },
  ]);
  const { harness } = await open([two, says("fine")], {
    session,
    tools: [
      tool("quick", async () => {
        isFull = true;
        return "quick";
      }),
      tool("slow", () => slow.promise),
    ],
  });
  await expect(harness.prompt("go")).rejects.toThrow();
  isFull = false;
  const next = harness.prompt("again");
  slow.resolve("late");
  expect(await next).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).filter((line) => line.includes("late"))).toEqual([]);
});
