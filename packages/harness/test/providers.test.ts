import { JsonlRepo } from "bough/jsonl";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../bough/test/support/temporary-folder.ts";
import { AgentHarness, type HarnessEvent, type HarnessOptions } from "../src/index.ts";
import { type Behaviour, type Protocol, startProvider } from "./support/provider-server.ts";
import { pathOf, tool } from "./support/scripted.ts";

const protocols: readonly Protocol[] = ["openai", "anthropic"];
const answer = (text: string): Behaviour => ({ kind: "reply", text, usage: { input: 10, output: 5 } });
const retry = { baseDelayMs: 1, maxRetries: 2 };

async function begin(protocol: Protocol, behaviours: readonly Behaviour[], options: Partial<HarnessOptions> = {}) {
  const server = await startProvider(protocol);
  server.script(...behaviours);
  const repo = new JsonlRepo({ root: temporaryFolder() });
  const session = await repo.create();
  const { models, model } = server;
  const harness = await AgentHarness.open({ session, models, model, retry, ...options });
  const events: HarnessEvent[] = [];
  harness.subscribe((event) => void events.push(event));
  return { server, session, harness, events, repo };
}

const retries = (events: readonly HarnessEvent[]) => events.filter(({ type }) => type === "retry_scheduled").length;

test.each(protocols)(
  "%s: a whole run with thinking, two tools, usage and cost, as the file has it afterwards",
  async (protocol) => {
    const { server, session, harness, repo } = await begin(
      protocol,
      [
        {
          kind: "reply",
          thinking: "Two files, so two calls.",
          text: "I look.",
          calls: [
            { id: "call_1", name: "read", args: { text: "a.ts" } },
            { id: "call_2", name: "read", args: { text: "b.ts" } },
          ],
          usage: { input: 1_000, output: 100, cached: 2_000 },
        },
        { kind: "reply", text: "Both are fine.", usage: { input: 500, output: 20, cached: 3_000 } },
      ],
      { tools: [tool("read", ({ text }) => `contents of ${text}`)], systemPrompt: "Be brief.", thinkingLevel: "high" },
    );
    expect(await harness.prompt("check the files")).toMatchObject({ status: "answered" });
    await harness.close();
    expect((await pathOf(session)).slice(2)).toEqual([
      "user: check the files",
      "assistant: <undefined>I look.<read><read>",
      "toolResult: contents of a.ts",
      "toolResult: contents of b.ts",
      "assistant: Both are fine.",
    ]);
    const path = await session.storage.ref.location;
    await repo.close();
    const again = await new JsonlRepo({ root: temporaryFolder() }).open(path as string);
    const stats = await again.getSessionStats();
    expect(stats).toMatchObject({ messageCount: 5, cachedTokens: 5_000, uncachedTokens: 1_500, totalTokens: 6_620 });
    expect(stats.costTotal).toBeCloseTo((1_500 * 1 + 120 * 10 + 5_000 * 0.5) / 1_000_000, 10);
    const [, reply] = (await again.buildContext()).messages;
    expect(reply).toMatchObject({
      ...{ role: "assistant", provider: "local", model: "test-model", stopReason: "toolUse" },
      content: [
        { type: "thinking", thinking: "Two files, so two calls." },
        { type: "text" },
        { id: "call_1" },
        { id: "call_2" },
      ],
    });
    expect(JSON.stringify(server.requests[1])).toContain("contents of b.ts");
    expect(JSON.stringify(server.requests[0])).toContain("Be brief.");
    await again.close();
  },
);

test.each(protocols)(
  "%s: an aborted stream keeps what came, closes the connection, and the next prompt works",
  async (protocol) => {
    const { server, session, harness } = await begin(protocol, [
      { kind: "stall", text: "half of an" },
      answer("whole"),
    ]);
    const off = harness.on("message_update", ({ assistantMessageEvent: { type } }) => {
      if (type === "text_delta") void harness.abort();
    });
    expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
    expect((await pathOf(session)).at(-1)).toBe("assistant: half of an");
    await expect.poll(() => server.hungUp).toBe(1);
    off();
    expect(await harness.prompt("again")).toMatchObject({ status: "answered" });
    expect(JSON.stringify(server.requests[1])).not.toContain("half of an");
    await harness.close();
  },
);

test.each(
  protocols.flatMap((protocol) => [
    { protocol, fault: { kind: "refuse", status: 429, message: "too many requests" } as const },
    { protocol, fault: { kind: "refuse", status: 500, message: "internal server error" } as const },
    { protocol, fault: { kind: "refuse", status: 529, message: "overloaded" } as const },
    { protocol, fault: { kind: "cut", text: "half" } as const },
  ]),
)("$protocol: after $fault.kind $fault.status the request is made again and answered", async ({ protocol, fault }) => {
  const { session, harness, events, server } = await begin(protocol, [fault, answer("fine")]);
  expect(await harness.prompt("go")).toMatchObject({ status: "answered", message: { stopReason: "stop" } });
  expect(retries(events)).toBe(1);
  expect(server.requests).toHaveLength(2);
  const failed = (await session.getBranch()).at(-2);
  expect(failed).toMatchObject({ message: { role: "assistant", stopReason: "error" } });
  const stats = await session.getSessionStats();
  expect(stats.messageCount).toBe(3);
  await harness.close();
});

test.each(protocols)("%s: a request that is wrong is not made again", async (protocol) => {
  const { harness, events } = await begin(protocol, [{ kind: "refuse", status: 400, message: "no such parameter" }]);
  expect(await harness.prompt("go")).toMatchObject({ status: "failed", message: { stopReason: "error" } });
  expect(retries(events)).toBe(0);
  await harness.close();
});

test.each(protocols)("%s: a context overflow is compacted away and asked again", async (protocol) => {
  const message =
    protocol === "openai"
      ? "This model's maximum context length is 100000 tokens. However, your messages resulted in 100500 tokens."
      : "prompt is too long: 100500 tokens > 100000 maximum";
  const note = answer("## Goal\nGet through the long text.\n## Progress\nThe first part was read.");
  const { session, harness, server, events } = await begin(
    protocol,
    [answer("noted"), { kind: "refuse", status: 400, message }, note, answer("fine")],
    { compaction: { keepRecentTokens: 2 } },
  );
  await harness.prompt(`remember this: ${"lorem ipsum ".repeat(2_000)}`);
  expect(await harness.prompt("and now?")).toMatchObject({ status: "answered" });
  expect(events.filter(({ type }) => type === "compaction_end")).toMatchObject([
    { reason: "overflow", willRetry: true },
  ]);
  expect(JSON.stringify(server.requests[3])).not.toContain("lorem");
  expect(JSON.stringify(server.requests[3])).toContain("The first part was read.");
  expect(await session.findEntries("compaction")).toMatchObject([{ usage: { input: 10, output: 5 } }]);
  expect((await session.getSessionStats()).totalTokens).toBe(45);
  await harness.close();
});
