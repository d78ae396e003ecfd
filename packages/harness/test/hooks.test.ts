import { isBoughError } from "bough";
import { expect, test } from "vitest";
import { calls, open, pathOf, says, tool } from "./support/scripted.ts";

test("pi-210 omp-103 the context hook counts for one request and stores nothing", async () => {
  const seen: number[] = [];
  const { harness, session } = await open([
    (context) => {
      seen.push(context.messages.length);
      return says("one");
    },
    (context) => {
      seen.push(context.messages.length);
      return says("two");
    },
  ]);
  const off = harness.on("context", ({ messages }) => ({
    messages: [...messages, { role: "user", content: "and be kind", timestamp: 0 }],
  }));
  await harness.prompt("a");
  off();
  await harness.prompt("b");
  expect(seen).toEqual([2, 3]);
  expect(await pathOf(session)).toEqual(["model_change", "user: a", "assistant: one", "user: b", "assistant: two"]);
});

test("pi-211 omp-104 before_agent_start: messages of all handlers are stored after the prompt, the prompt text chains and lasts for the run", async () => {
  const prompts: unknown[] = [];
  const remember = (reply: string) => (context: { messages: readonly { role: string }[] }) => {
    prompts.push((context.messages[0] as { content?: unknown }).content);
    return says(reply);
  };
  const { harness, session } = await open([remember("one"), remember("two")], { systemPrompt: "base" });
  harness.on("before_agent_start", ({ prompt, systemPrompt }) => ({
    systemPrompt: `${systemPrompt}+1`,
    message: { customType: "x", content: `about ${prompt}` },
  }));
  const off = harness.on("before_agent_start", ({ systemPrompt }) => ({
    systemPrompt: `${systemPrompt}+2`,
    messages: [{ customType: "x", content: "second" }],
  }));
  harness.on("before_agent_start", () => ({}));
  await harness.prompt("a");
  off();
  await harness.prompt("b");
  expect(prompts).toEqual(["base+1+2", "base+1"]);
  expect((await pathOf(session)).slice(1)).toEqual([
    ...["user: a", "note: about a", "note: second", "assistant: one", "user: b", "note: about b", "assistant: two"],
  ]);
});

test("a tool call is blocked with the first reason, and by a handler that fails", async () => {
  let ran = 0;
  const { harness, session } = await open(
    [calls("act", {}, "1"), calls("act", {}, "2"), calls("act", {}, "3"), says("done")],
    {
      tools: [tool("act", () => `${++ran}`)],
    },
  );
  const asked: string[] = [];
  harness.on("tool_call", ({ toolCallId }) => (toolCallId === "1" ? { block: true, reason: "not today" } : {}));
  harness.on("tool_call", ({ toolCallId }) => {
    asked.push(toolCallId);
    if (toolCallId === "2") throw new Error("broken");
  });
  const errors: unknown[] = [];
  harness.on("hook_error", ({ hook, source, error }) => void errors.push([hook, source, isBoughError(error, "hook")]));
  await harness.prompt("go");
  expect(ran).toBe(1);
  expect(asked).toEqual(["2", "3"]);
  expect(errors).toEqual([["tool_call", undefined, true]]);
  const results = (await pathOf(session)).filter((line) => line.startsWith("toolResult"));
  expect(results).toHaveLength(3);
  expect(results[0]).toBe("toolResult: not today");
  expect(results[2]).toBe("toolResult: 1");
});

test("a note and a tool's cost that nobody can store end no run", async () => {
  const { harness, session } = await open([calls("act", {}), says("done")], { tools: [tool("act", () => "raw")] });
  const errors: unknown[] = [];
  harness.on("hook_error", ({ source }) => void errors.push(source));
  const message = { customType: "x", content: "about", details: { run: () => 1 } };
  harness.on("before_agent_start", () => ({ message }), { source: "careless" });
  harness.on("tool_result", () => ({ usage: { input: "much" } as never }));
  expect(await harness.prompt("go")).toMatchObject({ status: "answered" });
  expect(errors).toEqual(["careless"]);
  expect((await pathOf(session)).slice(1)).toEqual([
    ...["user: go", "assistant: <act>", expect.stringContaining("can't be stored"), "assistant: done"],
  ]);
});

test("tool_result is patched field by field", async () => {
  const { harness, session } = await open([calls("act", {}), says("done")], { tools: [tool("act", () => "raw")] });
  harness.on("tool_result", () => ({ isError: true }));
  harness.on("tool_result", ({ isError }) => ({ content: [{ type: "text", text: `error ${isError}` }] }));
  harness.on("tool_result", () => ({}));
  await harness.prompt("go");
  const result = (await session.getBranch()).find(
    (entry) => entry.type === "message" && entry.message.role === "toolResult",
  );
  expect(result).toMatchObject({ message: { isError: true, content: [{ type: "text", text: "error true" }] } });
});

test("before_provider_request and before_provider_payload chain; undefined takes an option away", async () => {
  const options: unknown[] = [];
  const { harness } = await open(
    [
      (_, asked) => {
        options.push([asked?.temperature, asked?.maxTokens, asked?.sessionId === undefined]);
        return says("x");
      },
    ],
    { streamOptions: { temperature: 1 } },
  );
  harness.on("before_provider_request", ({ streamOptions }) => ({
    streamOptions: { temperature: undefined as never, maxTokens: (streamOptions.temperature ?? 0) + 6 },
  }));
  harness.on("before_provider_request", ({ streamOptions }) => ({
    streamOptions: { maxTokens: (streamOptions.maxTokens ?? 0) + 1 },
  }));
  await harness.prompt("a");
  expect(options).toEqual([[undefined, 8, false]]);
});

test("omp-105 handlers that throw, hang or scribble change nothing for others", async () => {
  const { harness, session } = await open([says("one")], { hookTimeout: 20 });
  const errors: string[] = [];
  harness.on("hook_error", ({ hook, source }) => void errors.push(`${hook} ${source}`));
  harness.on("context", () => new Promise(() => undefined), { source: "hangs" });
  harness.on("context", () => Promise.reject(new Error("no")), { source: "throws" });
  harness.on("context", ({ messages }) => void (messages as unknown[]).splice(0), { source: "scribbles" });
  let seen = 0;
  harness.on("context", ({ messages }) => {
    seen = messages.length;
  });
  harness.subscribe((event) => void Object.assign(event, { type: "x" }), { source: "scribbler" });
  expect(await harness.prompt("a")).toMatchObject({ status: "answered" });
  expect(seen).toBe(1);
  expect(errors.slice(0, 2)).not.toContain("context scribbles");
  expect(errors.filter((line) => line.startsWith("context"))).toEqual(["context hangs", "context throws"]);
  expect(errors.some((line) => line.endsWith("scribbler"))).toBe(true);
  expect(await pathOf(session)).toEqual(["model_change", "user: a", "assistant: one"]);
});

test("an abort ends the wait for a handler", async () => {
  const { harness } = await open([says("one")]);
  harness.on("before_agent_start", () => {
    void harness.abort();
    return new Promise(() => undefined);
  });
  expect(await harness.prompt("a")).toEqual({ status: "aborted" });
});

test("a handler that has not come back is passed over at once until it has", async () => {
  const long = says("word ".repeat(200));
  const { harness } = await open(
    [long, says("two"), says("three")],
    { hookTimeout: 30 },
    { tokenSize: { min: 1, max: 1 } },
  );
  let calls = 0;
  const comeBack: (() => void)[] = [];
  const errors: string[] = [];
  harness.on("hook_error", ({ hook }) => void errors.push(hook));
  harness.on("message_update", () => {
    calls += 1;
    return new Promise((resolve) => comeBack.push(resolve));
  });
  await harness.prompt("a");
  expect([calls, errors]).toEqual([1, ["message_update"]]);
  comeBack[0]?.();
  await harness.prompt("b");
  expect(calls).toBe(2);
});

test("a check that answers with a promise of another make is waited for", async () => {
  let ran = 0;
  const { harness } = await open([calls("act", {}), says("done")], { tools: [tool("act", () => String(++ran))] });
  // biome-ignore lint/suspicious/noThenProperty: it is what is tried out
  harness.on("tool_call", () => ({ then: (take: (answer: object) => void) => take({ block: true }) }) as never);
  await harness.prompt("go");
  expect(ran).toBe(0);
});
