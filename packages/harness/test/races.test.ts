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
  "after an abort %s its intent is written down a tool is not run, and its call has one result",
  async (at) => {
    const session: Session = watched('"name":"tool_intent"', at, () => void harness.abort());
    let ran = 0;
    const { harness } = await open([calls("act", {})], { session, tools: [tool("act", () => String(++ran))] });
    expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
    const results = (await pathOf(session)).filter((line) => line.startsWith("toolResult"));
    expect(results).toHaveLength(1);
    expect(ran).toBe(0);
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

test("what was asked for during a compaction is stored before closing gives the lease back", async () => {
  const { harness, session } = await open([says("one"), says("two")], {
    summarizer: async () => {
      asked = Promise.all(["x", "y", "z"].map((text) => harness.appendMessage(text)));
      await asked;
      return { content: "## Goal\nKeep on counting.\n## Progress\nCounted to three, which is done, and four is next." };
    },
  });
  let asked: Promise<readonly string[]> | undefined;
  await harness.prompt(`first ${"word ".repeat(2000)}`);
  await harness.prompt("second");
  const compacting = harness.compact({ keep: { turns: 1 } }).catch(() => undefined);
  while (asked === undefined) await new Promise(setImmediate);
  await harness.close();
  for (const id of await asked) expect(await session.getEntry(id)).toMatchObject({ type: "message" });
  await compacting;
});

test("an abort while hooks look at a tool's result leaves the result", async () => {
  const { harness, session } = await open([calls("act", {})], { tools: [tool("act", () => "sent")] });
  harness.on("tool_result", async () => {
    void harness.abort();
    return await new Promise<never>(() => undefined);
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  expect(await pathOf(session)).toContain("toolResult: sent");
});

test("changes of tools in one turn build on each other, and the session says the same", async () => {
  const [one, two] = [tool("one", () => ""), tool("two", () => "")];
  const act = tool("act", async () => {
    await harness.setTools([act, one, two]);
    await harness.setActiveTools(["one"]);
    await harness.setActiveTools(["one", "two"]);
    return "ok";
  });
  const { harness, session } = await open([calls("act", {}), says("done")], { tools: [act] });
  await harness.prompt("go");
  expect(harness.tools.map(({ name }) => name)).toEqual(["act", "one", "two"]);
  expect(harness.activeToolNames).toEqual(["one", "two"]);
  expect((await session.buildContext()).activeToolNames).toEqual(["one", "two"]);
});

test("a prompt that says nothing is refused, and not stored", async () => {
  const { harness, session } = await open([says("one")]);
  const before = await session.getEntries();
  for (const nothing of ["", "  \n", []]) {
    await expect(harness.prompt(nothing)).rejects.toMatchObject({ code: "invalid_state" });
  }
  expect(await session.getEntries()).toEqual(before);
});

test("a tool result that isn't one is an error that the model is told of", async () => {
  const odd = tool("act", () => "", { execute: async () => ({ content: [], details: undefined, usage: 5 }) as never });
  const { harness } = await open([calls("act", {}), says("done")], { tools: [odd] });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
});

test("closing waits for what was asked for before, and an abort afterwards writes nothing", async () => {
  const session = new Session(new MemoryStorage());
  const append = session.storage.append.bind(session.storage);
  session.storage.append = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return await append(request);
  };
  const { harness } = await open([calls("act", {}), says("one")], {
    session,
    tools: [
      tool("act", async () => {
        await harness.steer("wait");
        closing = harness.close();
        return "ok";
      }),
    ],
  });
  let closing: Promise<void> | undefined;
  await harness.prompt("go");
  await closing;
  const before = await session.getEntries();
  expect(await harness.abort()).toEqual({ steer: [], followUp: [] });
  expect(await session.getEntries()).toEqual(before);

  const { harness: idle } = await open([], { session });
  const asked = [
    idle.appendMessage("a"),
    idle.setThinkingLevel("high"),
    idle.appendLabel(before[0]?.id as string, "x"),
  ];
  await idle.close();
  const stored = await session.getEntries();
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(asked.map(() => "fulfilled"));
  expect(stored.length).toBe(before.length + 3);
  expect(await session.getEntries()).toEqual(stored);
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
