import { readFileSync } from "node:fs";
import { isBoughError } from "bough";
import { JsonlRepo } from "bough/jsonl";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../bough/test/support/temporary-folder.ts";
import type { CommandOutcome, Extension, HarnessEvent } from "../../src/index.ts";
import { calls, pathOf, says, scripted, tool } from "../support/scripted.ts";
import { asCommand, extended, idOf, until, worker } from "./support.ts";

/** What extensions hear of sessions that come and go. */
function witness() {
  const heard: unknown[] = [];
  const extension: Extension = (api) => {
    const hear = ({ type, ...rest }: { readonly type: string }) => void heard.push([type, rest]);
    api.on("session_start", hear);
    api.on("session_shutdown", hear);
    api.on("session_before_switch", hear);
    api.on("session_before_fork", hear);
    api.on("session_before_branch", hear);
  };
  return { heard, extension };
}

test("pi-214 omp-101 newSession: filled by setup, a parent in its header, and the next steps in its own context", async () => {
  const { heard, extension } = witness();
  const work = worker();
  const { host, session, repo } = await extended([work.extension, extension], [says("1")]);
  await host.harness.prompt("a");
  const before = await session.getEntries();
  const steps: unknown[] = [];
  const outcome = await asCommand(host, work.commands, async (ctx) =>
    ctx.newSession({
      parentSession: "/elsewhere.jsonl",
      setup: async (made) => void (await made.appendSessionName("fresh")),
      withSession: (next) => void steps.push(next.sessionManager.getSessionName(), next.isIdle()),
    }),
  );
  expect(outcome).toEqual({ cancelled: false });
  expect(steps).toEqual(["fresh", true]);
  expect(host.session.id).not.toBe(session.id);
  expect(host.session.header).toMatchObject({ parentSession: "/elsewhere.jsonl", cwd: "/project" });
  expect(heard).toEqual([
    ["session_start", { reason: "startup" }],
    ["session_before_switch", { reason: "new" }],
    ["session_shutdown", { reason: "new" }],
    ["session_start", { reason: "new" }],
  ]);
  expect(await session.getEntries()).toEqual(before);
  expect((await repo.list()).length).toBe(2);
});

test("pi-214 pi-230 omp-101 branch: a session of the path; fork: one before the user's words, which come back", async () => {
  const { heard, extension } = witness();
  const work = worker();
  const { host, session } = await extended([work.extension, extension], [says("1"), says("2"), says("3")]);
  await host.harness.prompt("a");
  await host.harness.prompt("b");
  const [, , first] = (await session.getBranch()).map(({ id }) => id);
  const second = await idOf(session, "b");
  await host.harness.navigateTree(first as string);
  await host.harness.prompt("c");
  const leaf = session.leafId as string;
  expect(await asCommand(host, work.commands, async (ctx) => ctx.branch())).toEqual({ cancelled: false });
  expect(host.session.id).not.toBe(session.id);
  expect((await pathOf(host.session)).slice(1)).toEqual(["user: a", "assistant: 1", "user: c", "assistant: 3"]);
  expect((await host.session.getEntries()).some(({ id }) => id === second)).toBe(false);
  const branched = host.session;
  const words = await idOf(branched, "c");
  const forked = await asCommand(host, work.commands, async (ctx) => ctx.fork(words));
  expect(forked).toEqual({ cancelled: false, editorText: "c" });
  expect((await pathOf(host.session)).slice(1)).toEqual(["user: a", "assistant: 1"]);
  expect(heard).toEqual([
    ["session_start", { reason: "startup" }],
    ["session_before_branch", { entryId: leaf }],
    ["session_shutdown", { reason: "fork" }],
    ["session_start", { reason: "fork" }],
    ["session_before_fork", { entryId: words, position: "before" }],
    ["session_shutdown", { reason: "fork" }],
    ["session_start", { reason: "fork" }],
  ]);
});

test("the application itself: clone takes the whole tree, switchSession another session, close says goodbye once", async () => {
  const { heard, extension } = witness();
  const { host, session, repo } = await extended([extension], [says("1"), says("2"), says("3")]);
  const events: HarnessEvent["type"][] = [];
  host.subscribe(({ type }) => void events.push(type));
  await host.harness.prompt("a");
  const root = (await session.getBranch())[0]?.id as string;
  await host.harness.navigateTree(root);
  await host.harness.prompt("b");
  expect(await host.clone()).toEqual({ cancelled: false });
  expect((await host.session.branches()).length).toBe(2);
  const other = await repo.create();
  await other.appendSessionName("other");
  expect(await host.switchSession(other.id)).toEqual({ cancelled: false });
  expect(host.session.id).toBe(other.id);
  events.splice(0);
  await host.harness.prompt("c");
  expect(events).toContain("agent_end");
  await host.close();
  await host.close();
  expect(heard.map((one) => (one as [string])[0])).toEqual([
    "session_start",
    ...["session_before_fork", "session_shutdown", "session_start"],
    ...["session_before_switch", "session_shutdown", "session_start"],
    "session_shutdown",
  ]);
  expect(heard.at(-1)).toEqual(["session_shutdown", { reason: "quit" }]);
});

test("a session in its own place stays, and nobody is asked", async () => {
  const { heard, extension } = witness();
  const { host, session } = await extended([extension], []);
  heard.splice(0);
  for (const same of [session, session.id]) expect(await host.switchSession(same)).toEqual({ cancelled: false });
  expect([host.session, heard]).toEqual([session, []]);
  expect(await session.appendSessionName("still open")).toBeTypeOf("string");
});

test("a closed host does nothing any more, and says so", async () => {
  const ran: string[] = [];
  const { host } = await extended(
    [(api) => api.registerCommand("act", { handler: (args) => void ran.push(args) })],
    [],
  );
  await host.close();
  const { failure } = (await host.runCommand("act", "now")) as CommandOutcome & { status: "failed" };
  expect(failure.error.cause).toMatchObject({ code: "closed" });
  expect(ran).toEqual([]);
  await expect(host.newSession()).rejects.toMatchObject({ code: "closed" });
  expect(() => host.harness).toThrow(expect.objectContaining({ code: "closed" }));
});

test("omp-101 an extension that refuses leaves everything as it was", async () => {
  const work = worker();
  const refuse: Extension = (api) => {
    api.on("session_before_switch", () => ({ cancel: true }));
    api.on("session_before_fork", () => ({ cancel: true }));
    api.on("session_before_branch", () => ({ cancel: true }));
  };
  const { host, session, repo } = await extended([work.extension, refuse], [says("1")]);
  await host.harness.prompt("a");
  const user = (await session.getBranch())[1]?.id as string;
  const other = await repo.create();
  const before = (await repo.list()).length;
  const outcomes = await asCommand(host, work.commands, async (ctx) => [
    await ctx.newSession(),
    await ctx.fork(user),
    await ctx.branch(),
    await ctx.switchSession(other.id),
  ]);
  expect(outcomes).toEqual(Array(4).fill({ cancelled: true }));
  expect(host.session).toBe(session);
  expect((await repo.list()).length).toBe(before);
  await expect(host.harness.appendMessage("still here")).resolves.toBeTypeOf("string");
});

test("what can't be opened leaves the session at work, and what can't be forked is refused", async () => {
  const work = worker();
  const { host, session, repo } = await extended([work.extension], [says("1")]);
  await host.harness.prompt("a");
  const codes: unknown[] = [];
  const failing = async (attempt: Promise<unknown>) => await attempt.catch((error) => codes.push(error.code));
  const taken = await repo.create();
  const { AgentHarness } = await import("../../src/index.ts");
  const holder = await AgentHarness.open({ session: taken, models: host.harness.models });
  await asCommand(host, work.commands, async (ctx) => {
    await failing(ctx.switchSession(taken.id));
    await failing(ctx.switchSession("nowhere"));
    await failing(ctx.fork("nowhere"));
    await failing(ctx.fork(session.leafId as string));
    await failing(ctx.branch("nowhere"));
  });
  await holder.close();
  expect(codes).toEqual(["busy", "not_found", "not_found", "invalid_fork_target", "not_found"]);
  expect(host.session).toBe(session);
});

test("without a place for sessions only forks are possible", async () => {
  const { host } = await extended([], [], { sessions: undefined as never });
  await expect(host.newSession()).rejects.toSatisfy((error) => isBoughError(error, "invalid_state"));
  await expect(host.branch()).rejects.toSatisfy((error) => isBoughError(error, "invalid_state"));
});

test("a run under way is ended, and what was asked for in it is stored in the session it belongs to", async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const slow = tool("slow", async () => {
    reach();
    await new Promise((resolve) => setTimeout(resolve, 30));
    return "done";
  });
  const { host, session, api } = await extended(
    [(given) => void given.on("session_shutdown", () => void given.appendEntry("goodbye", 1))],
    [calls("slow", {}), says("never")],
    { harness: { tools: [slow] } },
  );
  const running = host.harness.prompt("a");
  await reached;
  await api.appendEntry("asked", 1);
  await host.newSession();
  expect((await running).status).toBe("aborted");
  const types = (await session.getEntries()).flatMap((entry) =>
    entry.type === "custom" && !entry.customType.startsWith("bough.") ? [entry.customType] : [],
  );
  expect(types).toEqual(["asked", "goodbye"]);
  expect(await host.session.getEntries()).toEqual([]);
});

test("a goodbye that never ends holds nobody up", async () => {
  const { host, told, session } = await extended(
    [(api) => void api.on("session_shutdown", () => new Promise(() => undefined))],
    [],
    { shutdownTimeout: 20 },
  );
  await host.newSession();
  expect(host.session.id).not.toBe(session.id);
  await host.close();
  expect(told()).toEqual(["extensions session_shutdown", "extensions session_shutdown"]);
});

test("omp-102 waitForIdle: at once when idle, else when the run and what was queued in it are over", async () => {
  const work = worker();
  const { host, session } = await extended([work.extension], [calls("act", {}), says("1"), says("2")], {
    harness: { tools: [tool("act", () => "done")] },
  });
  await asCommand(host, work.commands, async (ctx) => await ctx.waitForIdle());
  let queued = false;
  host.harness.on("tool_execution_start", async () => {
    await host.harness.followUp("more");
    queued = true;
  });
  void host.harness.prompt("a");
  await until(() => queued);
  await asCommand(host, work.commands, async (ctx) => {
    await ctx.waitForIdle();
    expect(ctx.isIdle()).toBe(true);
  });
  expect((await pathOf(session)).at(-1)).toBe("assistant: 2");
});

test("omp-126 in files: branch makes a new one and leaves the old one's bytes alone, each knows of the other, and who refuses keeps all as it was", async () => {
  const repo = new JsonlRepo({ root: temporaryFolder() });
  onTestFinished(() => repo.close());
  const session = await repo.create({ cwd: "/project" });
  const { heard, extension } = witness();
  let refuses = true;
  const { host } = await extended(
    [(api) => void api.on("session_before_branch", () => ({ cancel: refuses })), extension],
    [says("1")],
    { session, sessions: repo },
  );
  await host.harness.prompt("a");
  await session.flush();
  const source = session.storage.ref.location as string;
  const bytes = readFileSync(source);
  expect(await host.branch()).toEqual({ cancelled: true });
  expect((await repo.list()).length).toBe(1);
  refuses = false;
  expect(await host.branch()).toEqual({ cancelled: false });
  const copy = host.session.storage.ref.location as string;
  expect(host.session.header.parentSession).toBe(source);
  expect(await pathOf(host.session)).toEqual(await pathOf(session));
  expect(heard.slice(-2)).toEqual([
    ["session_shutdown", { reason: "fork", targetSessionFile: copy }],
    ["session_start", { reason: "fork", previousSessionFile: source }],
  ]);
  await host.close();
  expect(readFileSync(source).equals(bytes)).toBe(true);
});

test("each session may have a harness of its own making, and an open session can be gone to", async () => {
  const { models, model } = scripted([]);
  const opened: string[] = [];
  const { host, repo } = await extended([], [], {
    choose: (session) => {
      opened.push(session.id);
      return { models, model, tools: [tool(session.header.cwd === "/other" ? "theirs" : "ours", () => "")] };
    },
  });
  const first = host.session.id;
  const other = await repo.create({ cwd: "/other" });
  expect(await host.switchSession(other)).toEqual({ cancelled: false });
  expect(host.session).toBe(other);
  expect(host.harness.tools.map(({ name }) => name)).toEqual(["theirs"]);
  expect(opened).toEqual([first, other.id]);
});
