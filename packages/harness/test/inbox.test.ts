import { expect, test } from "vitest";
import { AgentHarness } from "../src/index.ts";
import { calls, open, pathOf, says, tool } from "./support/scripted.ts";

test("steering is said after the turn, one at a time, follow-ups when the run would end", async () => {
  const { harness, session } = await open([calls("act", {}), says("one"), says("two"), says("three")], {
    tools: [
      tool("act", async () => {
        await harness.followUp("f");
        await Promise.all([harness.steer("s1"), harness.steer("s2")]);
        return "ok";
      }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).slice(1)).toEqual([
    ...["user: go", "assistant: <act>", "toolResult: ok", "user: s1", "assistant: one"],
    ...["user: s2", "assistant: two", "user: f", "assistant: three"],
  ]);
});

test("steering in mode all says everything at once", async () => {
  const { harness, session } = await open([calls("act", {}), says("one")], {
    steeringMode: "all",
    tools: [
      tool("act", async () => String(await Promise.all([harness.steer("s1"), harness.steer("s2")]).then(() => "ok"))),
    ],
  });
  await harness.prompt("go");
  expect((await pathOf(session)).slice(-3)).toEqual(["user: s1", "user: s2", "assistant: one"]);
});

test("steering and following up need a run; what is for the next turn comes right before the next prompt", async () => {
  const { harness, session, events } = await open([says("one")]);
  await expect(harness.steer("x")).rejects.toMatchObject({ code: "invalid_state" });
  await expect(harness.followUp("x")).rejects.toMatchObject({ code: "invalid_state" });
  const id = await harness.nextTurn({ customType: "note", content: "know this" });
  expect(harness.hasPendingMessages).toBe(true);
  await harness.prompt("go");
  expect(await pathOf(session)).toEqual(["model_change", "note: know this", "user: go", "assistant: one"]);
  expect((await session.getBranch())[1]?.id).toBe(id);
  expect(harness.hasPendingMessages).toBe(false);
  expect(events.filter(({ type }) => type === "queue_update")).toHaveLength(2);
});

test("queued messages survive the harness, are said once, and not at all when an abort dropped them", async () => {
  const { harness, session, models, faux } = await open([calls("act", {}), says("late")], {
    tools: [
      tool("act", async () => {
        await harness.steer("s");
        await harness.nextTurn("n");
        return await new Promise<string>(() => undefined);
      }),
    ],
    abortGrace: 1,
  });
  harness.on("queue_update", ({ nextTurn }) => void (nextTurn.length > 0 && harness.close()));
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  await harness.waitForIdle();
  const next = await AgentHarness.open({ session, models });
  expect([next.queued("steer"), next.queued("nextTurn")]).toMatchObject([[{ content: "s" }], [{ content: "n" }]]);
  faux.setResponses([says("one"), says("two")]);
  await next.continue();
  expect((await pathOf(session)).slice(-2)).toEqual(["user: s", "assistant: one"]);
  await next.nextTurn("m");
  await next.close();
  const third = await AgentHarness.open({ session, models });
  expect(third.queued("steer")).toEqual([]);
  expect(third.queued("nextTurn")).toMatchObject([{ content: "n" }, { content: "m" }]);
  const aborting = third.prompt("end");
  expect(await aborting).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).slice(-4)).toEqual(["user: n", "user: m", "user: end", "assistant: two"]);
  expect(third.hasPendingMessages).toBe(false);
});

test("an abort drops steering and follow-ups and keeps what is for the next prompt", async () => {
  const { harness, session, models } = await open([calls("act", {}), says("x")], {
    tools: [
      tool("act", async () => {
        await harness.steer("s");
        await harness.followUp("f");
        await harness.nextTurn("n");
        void harness.abort().then((dropped) => cleared.push(dropped));
        return "ok";
      }),
    ],
  });
  const cleared: unknown[] = [];
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  await harness.close();
  expect(cleared).toMatchObject([{ steer: [{ content: "s" }], followUp: [{ content: "f" }] }]);
  const next = await AgentHarness.open({ session, models });
  expect([next.queued("steer"), next.queued("followUp"), next.queued("nextTurn").length]).toEqual([[], [], 1]);
});

test("during a turn a message that can't be stored is refused at once, and the run goes on", async () => {
  const { harness, session } = await open([calls("act", {}), says("one")], {
    tools: [
      tool("act", async () => {
        const refused = harness.appendMessage({ customType: "x", content: "x", details: 1n });
        await expect(refused).rejects.toMatchObject({ code: "invalid_entry" });
        return "ok";
      }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  expect((await pathOf(session)).slice(-2)).toEqual(["toolResult: ok", "assistant: one"]);
});

test("what is asked for during a turn is stored at its end, between no call and its result", async () => {
  const { harness, session, model } = await open([calls("act", {}), says("one")], {
    tools: [
      tool("act", async () => {
        await harness.setThinkingLevel("high");
        await harness.appendMessage({ customType: "note", content: "seen" });
        await harness.setModel(model);
        return harness.thinkingLevel;
      }),
    ],
  });
  await harness.prompt("go");
  expect((await pathOf(session)).slice(2)).toEqual([
    ...["assistant: <act>", "toolResult: off", "thinking_level_change", "note: seen", "model_change", "assistant: one"],
  ]);
  expect(harness.thinkingLevel).toBe("high");
});

test("what can't be stored is refused when it is said, and stands in nobody's way", async () => {
  const { harness, session } = await open([says("one")]);
  const before = await session.getEntries();
  for (const input of [
    { customType: "bough.x" },
    { customType: "session_exit" },
    { customType: "x", details: { f: () => undefined } },
    { customType: "x", content: "text", details: Number.NaN },
  ]) {
    await expect(harness.nextTurn(input)).rejects.toMatchObject({ code: "invalid_entry" });
    await expect(harness.appendMessage(input)).rejects.toMatchObject({ code: "invalid_entry" });
  }
  expect(await session.getEntries()).toEqual(before);
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
});

test("what is said is copied: changing it afterwards changes nothing", async () => {
  const { harness, session } = await open([says("one")]);
  const details = { at: "first" };
  const id = await harness.nextTurn({ customType: "note", content: "know this", details });
  details.at = "later";
  await harness.prompt("go");
  expect(await session.getEntry(id)).toMatchObject({ details: { at: "first" } });
});

test("data that is queued is kept, and asks for no answer", async () => {
  const act = tool("act", async () => await harness.followUp({ customType: "progress", details: { done: 1 } }));
  const { harness, session } = await open([calls("act", {}), says("done"), says("never")], { tools: [act] });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered", message: { content: [{ text: "done" }] } });
  expect((await session.findEntries("custom")).map(({ customType }) => customType)).toContain("progress");
});
