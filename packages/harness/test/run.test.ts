import { Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { expect, test } from "vitest";
import { AgentHarness } from "../src/index.ts";
import { calls, open, pathOf, says, scripted, tool } from "./support/scripted.ts";

test("a prompt is stored, answered, and its tools run", async () => {
  const { harness, session, events, faux } = await open([calls("echo", { text: "hi" }), says("done")], {
    tools: [tool("echo", ({ text }) => `heard ${text}`)],
    systemPrompt: "Be brief.",
  });
  const outcome = await harness.prompt("say hi");
  expect(outcome).toMatchObject({ status: "answered", message: { role: "assistant", stopReason: "stop" } });
  expect(outcome.entryId).toBe(session.leafId);
  expect(await pathOf(session)).toEqual([
    "model_change",
    "user: say hi",
    "assistant: <echo>",
    "toolResult: heard hi",
    "assistant: done",
  ]);
  expect(faux.getPendingResponseCount()).toBe(0);
  expect(events.map(({ type }) => type).filter((type) => type !== "message_update")).toEqual([
    ...["agent_start", "turn_start", "message_start", "message_end", "after_provider_response"],
    ...["message_start", "message_end", "tool_execution_start", "tool_execution_end", "message_start", "message_end"],
    ...["turn_end", "save_point", "turn_start", "after_provider_response", "message_start", "message_end"],
    ...["turn_end", "save_point", "agent_end", "settled"],
  ]);
});

test("subscribers hear of a message when it is stored", async () => {
  const { harness, session } = await open([calls("echo", { text: "hi" }), says("done")], {
    tools: [tool("echo", () => "ok")],
  });
  const seen: boolean[] = [];
  harness.on("message_end", async ({ entryId, message }) => {
    const entry = await session.getEntry(entryId);
    seen.push(entry?.type === "message" && JSON.stringify(entry.message) === JSON.stringify(message));
  });
  await harness.prompt("say hi");
  expect(seen).toEqual([true, true, true, true]);
});

test("the model is sent the prompt, the tools and the projection of the path", async () => {
  const seen: unknown[] = [];
  const { harness } = await open(
    [
      (context) => {
        seen.push([...context.messages]);
        return says("one");
      },
      (context) => {
        seen.push([...context.messages]);
        return says("two");
      },
    ],
    { tools: [tool("echo", () => "ok")], systemPrompt: () => "Be brief." },
  );
  await harness.prompt("first");
  await harness.prompt("second");
  expect(seen[1]).toMatchObject([
    { role: "system", content: "Be brief.", toolsAdded: [{ name: "echo" }] },
    { role: "user", content: "first" },
    { role: "assistant", content: [{ text: "one" }] },
    { role: "user", content: "second" },
  ]);
});

test("a second operation is busy, and the first one is not disturbed", async () => {
  const { harness, session } = await open([says("one")]);
  const first = harness.prompt("a");
  await expect(harness.prompt("b")).rejects.toMatchObject({ code: "busy" });
  await expect(harness.continue()).rejects.toMatchObject({ code: "busy" });
  expect(await first).toMatchObject({ status: "answered" });
  expect(await pathOf(session)).toEqual(["model_change", "user: a", "assistant: one"]);
});

test("AP-05 an aborted reply is kept as far as it came, and the next prompt goes on from there", async () => {
  const answer = "a very long answer that nobody waits for";
  const { harness, session } = await open([says(answer), says("next")], {}, { tokensPerSecond: 200 });
  harness.on("message_update", ({ assistantMessageEvent }) => {
    if (assistantMessageEvent.type === "text_delta") void harness.abort();
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted", message: { stopReason: "aborted" } });
  const [, , aborted] = await pathOf(session);
  expect(`assistant: ${answer}`).toContain(aborted);
  expect(aborted?.length).toBeGreaterThan("assistant: ".length);
  expect(await harness.prompt("again")).toMatchObject({ status: "answered" });
  expect(harness.phase).toBe("idle");
});

test("an abort during a tool leaves every call with a result", async () => {
  const { harness, session } = await open([calls("wait", {}), says("never")], {
    tools: [
      tool("wait", async () => {
        void harness.abort();
        throw harness.signal?.aborted ? new Error("stopped") : new Error("not stopped");
      }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  expect(await pathOf(session)).toEqual(["model_change", "user: go", "assistant: <wait>", "toolResult: stopped"]);
});

test("tools that fail, are unknown, or get wrong arguments answer with an error, and the run goes on", async () => {
  const { harness, session } = await open(
    [calls("fails", {}), calls("unknown", {}), calls("picky", { text: 3 }), says("done")],
    {
      tools: [
        tool("fails", () => Promise.reject(new Error("no"))),
        tool("picky", () => "fine", {
          parameters: { type: "object", properties: { text: { type: "object" } }, required: ["text"] },
        }),
      ],
    },
  );
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  const results = (await session.getBranch()).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message.isError] : [],
  );
  expect(results).toEqual([true, true, true]);
});

test("a result that can't be stored becomes an error result", async () => {
  const { harness, session } = await open([calls("odd", {}), says("done")], {
    tools: [
      tool("odd", () => "", { execute: async () => ({ content: [{ type: "text" }] as never, details: undefined }) }),
      tool("lost", () => "", { execute: async () => ({ content: [], details: { big: 10n } }) }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  const stored = await session.getBranch();
  expect(stored[3]).toMatchObject({ message: { role: "toolResult", toolCallId: "call-odd", isError: true } });
});

test("a failing model ends the run with a reply that says so", async () => {
  const { harness, session } = await open([says("", { stopReason: "error", errorMessage: "no such model" })]);
  const outcome = await harness.prompt("go");
  expect(outcome).toMatchObject({ status: "failed", message: { stopReason: "error", errorMessage: "no such model" } });
  expect((await session.buildContext()).messages).toHaveLength(2);
});

test("without a model a prompt is refused, without a key as well, and nothing is stored", async () => {
  const { models } = scripted([]);
  const session = new Session(new MemoryStorage());
  await using harness = await AgentHarness.open({ session, models });
  await expect(harness.prompt("go")).rejects.toMatchObject({ code: "invalid_state" });
  expect(await session.getEntries()).toEqual([]);
});

test("continue answers what waits, and refuses where nothing does", async () => {
  const { harness, session } = await open([says("one"), says("two")]);
  await expect(harness.continue()).rejects.toMatchObject({ code: "invalid_state" });
  await harness.appendMessage({ role: "user", content: "hello" });
  expect(await harness.continue()).toMatchObject({ status: "answered" });
  await expect(harness.continue()).rejects.toMatchObject({ code: "invalid_state" });
  expect(await pathOf(session)).toEqual(["user: hello", "model_change", "assistant: one"]);
});

test("one harness drives a session, and the next may when it is closed", async () => {
  const { harness, session, models } = await open([]);
  await expect(AgentHarness.open({ session, models })).rejects.toMatchObject({ code: "busy" });
  await harness.close();
  await expect(harness.prompt("x")).rejects.toMatchObject({ code: "closed" });
  const next = await AgentHarness.open({ session, models });
  await next.close();
});

test("model, thinking level and tools come from the path", async () => {
  const tools = [tool("a", () => ""), tool("b", () => "")];
  const { harness, session, models, model } = await open([], { tools });
  await harness.setModel(model);
  await harness.setThinkingLevel("high");
  await harness.setActiveTools(["b"]);
  await harness.close();
  const next = await AgentHarness.open({ session, models, tools });
  expect(next.model?.id).toBe(model.id);
  expect(next.thinkingLevel).toBe("high");
  expect(next.activeToolNames).toEqual(["b"]);
  await next.close();
});

test("an abort doesn't wait for ever for a tool that doesn't listen", async () => {
  const { harness, session } = await open([calls("deaf", {})], {
    abortGrace: 20,
    tools: [
      tool("deaf", () => {
        void harness.abort();
        return new Promise(() => undefined);
      }),
    ],
  });
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  expect(await session.getLeafEntry()).toMatchObject({ message: { role: "toolResult", isError: true } });
});

test("pi-231 appendLabel labels an entry of any branch at once, in the middle of a run as well", async () => {
  const { harness, session, events } = await open([calls("act", {}), says("done")], {
    tools: [tool("act", async () => await harness.appendLabel(session.leafId as string, "here"))],
  });
  await harness.prompt("go");
  const labelled = (await session.getBranch())[2]?.id as string;
  expect(await session.getLabel(labelled)).toBe("here");
  expect(events.find(({ type }) => type === "entry_appended")).toMatchObject({ entry: { targetId: labelled } });
  await expect(harness.appendLabel("nowhere", "x")).rejects.toMatchObject({ code: "not_found" });
});

test("BR-06 a move is refused while a tool runs, and its result stands below its call", async () => {
  const { harness, session } = await open([calls("act", {}), says("done")], {
    tools: [
      tool("act", async () => {
        const first = (await session.getBranch())[0]?.id as string;
        return await harness.navigateTree(first).catch(({ code }) => code);
      }),
    ],
  });
  await harness.prompt("go");
  expect((await pathOf(session)).slice(2)).toEqual(["assistant: <act>", "toolResult: busy", "assistant: done"]);
});

test("a message that is appended is told of once it is stored, a note without content is kept as data only", async () => {
  const { harness, session, events } = await open([]);
  const id = await harness.appendMessage({ customType: "note", content: "seen" });
  expect(events).toMatchObject([{ type: "message_start" }, { type: "message_end", entryId: id }]);
  await harness.appendMessage({ customType: "progress", details: { done: 3 } });
  expect(await session.getLeafEntry()).toMatchObject({ type: "custom", customType: "progress", data: { done: 3 } });
  expect((await session.buildContext()).messages).toHaveLength(1);
  await expect(harness.prompt({ customType: "progress", details: {} })).rejects.toMatchObject({
    code: "invalid_state",
  });
  await expect(harness.prompt({ role: "nobody" } as never)).rejects.toMatchObject({ code: "invalid_entry" });
});

test("a note can begin a run", async () => {
  const { harness, session } = await open([says("noted")]);
  await harness.prompt({ customType: "alarm", content: "the build broke", display: false });
  expect((await pathOf(session)).slice(1)).toEqual(["note: the build broke", "assistant: noted"]);
});
