import { isBoughError, Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { ReadonlySessionManager } from "bough/session-manager";
import { expect, test } from "vitest";
import type { ExtensionContext } from "../../src/index.ts";
import { calls, pathOf, says, scripted, tool } from "../support/scripted.ts";
import { asCommand, converse, extended, summary, until, worker } from "./support.ts";

/** Calls what may throw, and hands on what it threw. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

const isInvalidState = (error: unknown) => isBoughError(error, "invalid_state");

/** Every member of a context, touched. */
function touched(ctx: ExtensionContext): readonly unknown[] {
  return [
    thrownBy(() => ctx.cwd),
    thrownBy(() => ctx.sessionManager),
    thrownBy(() => ctx.modelRegistry),
    thrownBy(() => ctx.model),
    thrownBy(() => ctx.thinkingLevel),
    thrownBy(() => ctx.signal),
    thrownBy(() => ctx.hasUI),
    thrownBy(() => ctx.ui),
    thrownBy(() => ctx.getContextUsage()),
    thrownBy(() => ctx.isIdle()),
    thrownBy(() => ctx.hasPendingMessages()),
  ];
}

test("pi-215 omp-98 what reads the session has every read of seed code and nothing else, and can't be changed", async () => {
  const { extension, commands } = worker();
  const { host, session } = await extended([extension], [says("1")]);
  await host.harness.prompt("a");
  const before = JSON.stringify(await session.getEntries());
  await asCommand(host, commands, async (ctx) => {
    const { sessionManager } = ctx;
    const reads = Object.getOwnPropertyNames(ReadonlySessionManager.prototype).filter((name) => name !== "constructor");
    expect(Object.getOwnPropertyNames(sessionManager)).toEqual(reads);
    expect(Object.getPrototypeOf(sessionManager)).toBe(null);
    expect(reads.filter((name) => /append|branch[A-Z]|move|reset|set|flush|create|new/i.test(name))).toEqual([]);
    expect(sessionManager.getLeafId()).toBe(session.leafId);
    expect(sessionManager.getBranch()).toEqual(await session.getBranch());
    expect(sessionManager.getTree()).toEqual(await session.getTree());
    expect(sessionManager.buildSessionContext()).toEqual(await session.buildContext());
    expect(() => Object.assign(sessionManager, { getBranch: () => [] })).toThrow(TypeError);
    expect(() => Object.assign(sessionManager.getBranch(), { x: 1 })).not.toThrow();
    sessionManager.getEntries().splice(0);
    sessionManager.getBranch().splice(0);
    sessionManager.getTree().splice(0);
    const entry = sessionManager.getEntries().find(({ type }) => type === "message");
    expect(() => Object.assign(entry ?? {}, { parentId: null })).toThrow(TypeError);
    expect(() => Object.assign((entry as { message: object }).message, { content: "" })).toThrow(TypeError);
    expect(() => Object.assign(sessionManager.getHeader(), { id: "x" })).toThrow(TypeError);
    expect(() => Object.assign(ctx, { cwd: "/" })).toThrow(TypeError);
    expect(() => Object.assign(ctx.ui, { notify: () => undefined })).toThrow(TypeError);
  });
  expect(JSON.stringify(await session.getEntries())).toBe(before);
});

test("omp-99 the model is the one of the moment, and a copy", async () => {
  const { models, faux } = scripted([], { models: [{ id: "a" }, { id: "b" }] });
  const [first, second] = faux.models;
  const contexts: ExtensionContext[] = [];
  const { host } = await extended([(api) => void api.on("session_start", (_, ctx) => void contexts.push(ctx))], [], {
    harness: { models, model: first as never },
  });
  const [ctx] = contexts as [ExtensionContext];
  expect(ctx.model?.id).toBe("a");
  await host.harness.setModel(second as never);
  expect(ctx.model?.id).toBe("b");
  expect(() => Object.assign(ctx.model ?? {}, { id: "c" })).toThrow(TypeError);
  expect(ctx.modelRegistry.getModels().map(({ id }) => id)).toEqual(["a", "b"]);
  expect(ctx.modelRegistry.getModel(first?.provider as string, "b")?.id).toBe("b");
  expect(await ctx.modelRegistry.hasAuth(first as never)).toBe(true);
  expect(Object.keys(ctx.modelRegistry)).not.toContain("setProvider");
  expect(() => Object.assign(ctx.modelRegistry, { getModels: () => [] })).toThrow(TypeError);
});

test("omp-100 how full the window is: unknown without a model or its word, a number after a reply, unknown after a compaction", async () => {
  const contexts: ExtensionContext[] = [];
  const session = new Session(new MemoryStorage());
  await converse(session, 10);
  const { host } = await extended(
    [(api) => void api.on("session_start", (_, ctx) => void contexts.push(ctx))],
    [says("1"), says(summary)],
    { session },
  );
  const [ctx] = contexts as [ExtensionContext];
  expect(ctx.getContextUsage()).toBe(null);
  await host.harness.prompt("a");
  expect(ctx.getContextUsage()).toEqual(await host.harness.getContextUsage());
  expect(ctx.getContextUsage()?.tokens).toBeGreaterThan(0);
  await host.harness.compact({ keep: { turns: 1 } });
  expect(ctx.getContextUsage()).toBe(null);
});

test("ctx.compact is not waited for, begins when the harness is idle, and says how it went", async () => {
  const outcomes: unknown[] = [];
  const session = new Session(new MemoryStorage());
  await converse(session, 20);
  const { host, told } = await extended(
    [
      (api) => {
        api.on("turn_end", (_, ctx) => {
          ctx.compact({
            customInstructions: "Briefly.",
            onComplete: (entry) => void outcomes.push([entry.type, ctx.isIdle()]),
            onError: (error) => void outcomes.push(error),
          });
        });
      },
    ],
    [says("1"), says(summary), says(summary)],
    { session, harness: { compaction: { keepRecentTokens: 500 } } },
  );
  await host.harness.prompt("a");
  await until(() => outcomes.length > 0);
  expect(outcomes).toEqual([["compaction", true]]);
  expect((await pathOf(session)).at(-1)).toBe("compaction");
  expect(told()).toEqual([]);
});

test("isIdle, hasPendingMessages, signal and abort are those of the harness", async () => {
  const seen: unknown[] = [];
  const { host, session } = await extended(
    [
      (api) => {
        api.on("tool_execution_start", async (_, ctx) => {
          await api.sendUserMessage("later", { deliverAs: "followUp" });
          seen.push(ctx.isIdle(), ctx.hasPendingMessages(), ctx.signal?.aborted);
          ctx.signal?.dispatchEvent(new Event("abort"));
        });
        api.on("tool_execution_end", (_, ctx) => ctx.abort());
        api.on("settled", (_, ctx) => void seen.push(ctx.isIdle(), ctx.signal));
      },
    ],
    [calls("act", {}), says("never")],
    { harness: { tools: [tool("act", () => "done")] } },
  );
  expect(await host.harness.prompt("a")).toMatchObject({ status: "aborted" });
  expect(seen).toEqual([false, true, false, true, undefined]);
  expect((await pathOf(session)).slice(1, 4)).toEqual(["user: a", "assistant: <act>", "toolResult: done"]);
});

test("AP-07 what an extension holds works across compactions, moves and names; once the session was replaced all of it is refused", async () => {
  const { extension, commands } = worker();
  const contexts: ExtensionContext[] = [];
  const { host, session, api, apis, told } = await extended(
    [extension, (given) => void given.on("session_start", (_, ctx) => void contexts.push(ctx))],
    [says(summary)],
  );
  const [ctx] = contexts as [ExtensionContext];
  await converse(session, 10);
  const target = session.leafId as string;
  await host.harness.compact({ keep: { turns: 1 } });
  await api.appendEntry("x", 1);
  await host.harness.navigateTree(target);
  await api.setSessionName("named");
  expect(touched(ctx)).toEqual(Array(11).fill(undefined));
  expect(api.getSessionName()).toBe("named");
  const before = await session.getEntries();

  let kept: unknown;
  await asCommand(host, commands, async (command) => {
    await command.newSession();
    kept = thrownBy(() => command.isIdle());
    await expect(command.navigateTree(target)).rejects.toSatisfy(isInvalidState);
    await expect(command.newSession()).rejects.toSatisfy(isInvalidState);
    await expect(command.waitForIdle()).rejects.toSatisfy(isInvalidState);
  });
  expect(isInvalidState(kept)).toBe(true);
  expect(touched(ctx).map(isInvalidState)).toEqual(Array(11).fill(true));
  for (const work of [
    () => api.sendMessage({ customType: "x", content: "x" }),
    () => api.sendUserMessage("x"),
    () => api.appendEntry("x"),
    () => api.setLabel(target, "x"),
    () => api.setActiveTools([]),
  ]) {
    await expect(work()).rejects.toSatisfy(isInvalidState);
  }
  for (const work of [
    () => api.on("context", () => undefined),
    () => api.registerCommand("c", { handler: () => undefined }),
    () => api.registerTool({ ...tool("t", () => ""), execute: async () => ({ content: [], details: undefined }) }),
    () => api.registerMessageRenderer("x", () => ""),
    () => api.getActiveTools(),
    () => api.getSessionName(),
  ]) {
    expect(isInvalidState(thrownBy(work))).toBe(true);
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await session.getEntries()).toEqual(before);
  expect(told().every((line) => line.startsWith("probe "))).toBe(true);
  await apis[1]?.appendEntry("y", 1);
  expect(host.session.id).not.toBe(session.id);
  expect((await host.session.getEntries()).map(({ type }) => type)).toEqual(["custom"]);
});
