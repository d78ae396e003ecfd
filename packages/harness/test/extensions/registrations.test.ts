import { isBoughError } from "bough";
import { expect, test } from "vitest";
import { type Extension, type ExtensionUI, plainTheme, type RenderedMessage } from "../../src/index.ts";
import { calls, pathOf, says, tool } from "../support/scripted.ts";
import { extended, until } from "./support.ts";

const act = (name: string, text: string) => ({
  ...tool(name, () => ""),
  execute: async () => ({ content: [{ type: "text" as const, text }], details: undefined }),
});

test("omp-95 a command gets its arguments and a context; what it returns is nothing, what it throws is reported", async () => {
  const seen: unknown[] = [];
  const { host, told } = await extended([
    (api) => {
      api.registerCommand("good", {
        description: "does",
        handler: (args, ctx) => {
          seen.push(args, ctx.sessionManager.getCwd(), typeof ctx.navigateTree);
          return { cancel: true };
        },
        getArgumentCompletions: (prefix) => ["one", "only", "two"].filter((word) => word.startsWith(prefix)),
      });
      api.registerCommand("bad", {
        handler: () => Promise.reject(new Error("no")),
        getArgumentCompletions: () => {
          throw new Error("no");
        },
      });
    },
  ]);
  expect(host.commands).toEqual([
    { name: "good", description: "does", extension: "1" },
    { name: "bad", extension: "1" },
  ]);
  expect(await host.runCommand("good", "a b")).toEqual({ status: "done" });
  expect(await host.runCommand("none")).toEqual({ status: "unknown" });
  expect(await host.runCommand("bad")).toMatchObject({
    status: "failed",
    failure: { extension: "1", during: "command:bad", error: { code: "hook", details: { hook: "command:bad" } } },
  });
  expect(seen).toEqual(["a b", "/project", "function"]);
  expect(await host.completionsOf("good", "o")).toEqual(["one", "only"]);
  expect(await host.completionsOf("bad", "")).toEqual([]);
  expect(await host.completionsOf("none", "")).toEqual([]);
  expect(told()).toEqual(["1 command:bad", "1 command:bad"]);
});

test("omp-96 a command named as one of the application's is refused; two of one name both can be called", async () => {
  const ran: string[] = [];
  const commanding =
    (name: string, extension: string): Extension =>
    (api) => {
      api.registerCommand(name, { handler: () => void ran.push(extension) });
    };
  const { host, told } = await extended(
    [commanding("tree", "1"), commanding("go", "2"), commanding("go", "3"), commanding("go:2", "4")],
    [],
    { reservedCommands: ["tree"] },
  );
  expect(told()).toEqual(["1 command:tree"]);
  expect(host.commands.map(({ name }) => name)).toEqual(["go", "go:2", "go:2:2"]);
  for (const { name } of host.commands) await host.runCommand(name);
  expect(ran).toEqual(["2", "3", "4"]);
});

test("an extension whose function throws or never ends is left out whole, and the others work", async () => {
  const half: Extension = (api) => {
    api.registerCommand("half", { handler: () => undefined });
    api.registerTool(act("half", ""));
    api.registerMessageRenderer("x", () => "half");
    api.on("before_agent_start", () => ({ message: { customType: "x", content: "half" } }));
    throw new Error("no");
  };
  const endless: Extension = async (api) => {
    api.registerCommand("endless", { handler: () => undefined });
    await new Promise(() => undefined);
  };
  const whole: Extension = (api) => api.registerCommand("whole", { handler: () => undefined });
  const { host, session, told } = await extended([half, endless, whole], [says("1")], { loadTimeout: 20 });
  await host.harness.prompt("a");
  expect(told()).toEqual(["1 load", "2 load"]);
  expect(host.commands.map(({ name }) => name)).toEqual(["whole"]);
  expect(host.harness.tools).toEqual([]);
  expect((await pathOf(session)).slice(1)).toEqual(["user: a", "assistant: 1"]);
});

test("an extension that could not be started reaches nothing later on either, and ill-formed registrations are its own fault", async () => {
  const late: unknown[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const slow: Extension = async (api) => {
    await opened;
    for (const work of [
      () => api.on("context", () => ({ messages: [] })),
      () => api.registerCommand("late", { handler: () => undefined }),
      () => api.registerTool(act("late", "")),
    ]) {
      try {
        work();
      } catch (error) {
        late.push(isBoughError(error, "invalid_state"));
      }
    }
    await api.appendEntry("late", 1).catch((error) => late.push(isBoughError(error, "invalid_state")));
  };
  const twice: Extension = (api) => {
    api.registerTool(act("twin", "first"));
    api.registerTool(act("twin", "second"));
  };
  const illFormed: readonly Extension[] = [
    (api) => api.registerTool({} as never),
    (api) => api.registerCommand("x", {} as never),
    (api) => api.registerMessageRenderer("x", "y" as never),
    (api) => void api.on("context", undefined as never),
  ];
  const { host, session, told } = await extended([slow, twice, ...illFormed], [says("1")], { loadTimeout: 20 });
  open();
  await until(() => late.length === 4);
  expect(late).toEqual([true, true, true, true]);
  expect(host.harness.tools.map(({ name }) => name)).toEqual(["twin"]);
  expect(host.commands).toEqual([]);
  await host.harness.prompt("a");
  expect((await pathOf(session)).slice(1)).toEqual(["user: a", "assistant: 1"]);
  expect(told()).toEqual(["1 load", "2 tool:twin", "3 load", "4 load", "5 load", "6 load", "1 appendEntry"]);
});

test("tools: of the function's time and later ones are active, know where they run, and take nobody's name", async () => {
  const seen: unknown[] = [];
  const { host, session, told, api } = await extended(
    [
      (given) => {
        given.registerTool({
          ...tool("early", () => ""),
          replay: "safe",
          execute: async (id, args, signal, _, ctx, call) => {
            seen.push(id, args, signal?.aborted, ctx.cwd, typeof call?.key);
            given.registerTool(act("late", "late did"));
            given.registerTool(act("later", "later did"));
            return { content: [{ type: "text", text: "early did" }], details: undefined };
          },
        });
        given.registerTool(act("own", "taken"));
      },
      (given) => given.registerTool(act("early", "taken")),
    ],
    [calls("early", { text: "x" }), calls("late", {}), calls("later", {}), calls("own", {}), says("done")],
    { harness: { tools: [tool("own", () => "own did")] } },
  );
  expect(told()).toEqual(["1 tool:own", "2 tool:early"]);
  await host.harness.prompt("go");
  expect(seen).toEqual(["call-early", { text: "x" }, false, "/project", "string"]);
  expect((await pathOf(session)).filter((line) => line.startsWith("toolResult"))).toEqual([
    ...["toolResult: early did", "toolResult: late did", "toolResult: later did", "toolResult: own did"],
  ]);
  expect(api.getActiveTools()).toEqual(["own", "early", "late", "later"]);
  await api.setActiveTools(["late"]);
  expect(host.harness.activeToolNames).toEqual(["late"]);
  expect(api.getAllTools().map(({ name }) => name)).toEqual(["own", "early", "late", "later"]);
});

test("pi-212 omp-97 a renderer draws its own type; one that fails or says nothing leaves the note as all notes look; hidden ones are never drawn", async () => {
  const drawn: unknown[] = [];
  const { host, told } = await extended([
    (api) => {
      api.registerMessageRenderer("text", (message, { expanded, width }, theme) => {
        drawn.push(structuredClone(message), expanded, width);
        Object.assign(message, { content: "scribbled" });
        return theme.fg("customMessageText", "one\ntwo");
      });
      api.registerMessageRenderer("lines", () => ["a", "b"]);
      api.registerMessageRenderer("component", () => ({ render: (width) => ["x".repeat(width)] }));
      api.registerMessageRenderer("nothing", () => undefined);
      api.registerMessageRenderer("throws", () => {
        throw new Error("no");
      });
      api.registerMessageRenderer("late", () => ({
        render: () => {
          throw new Error("no");
        },
      }));
      api.registerMessageRenderer("number", () => 7 as never);
      api.registerMessageRenderer("hidden", () => "never");
    },
    (api) => api.registerMessageRenderer("text", () => "second"),
  ]);
  const message = (customType: string, display = true): RenderedMessage => ({
    ...{ customType, display, content: "hello", details: { n: [1] } },
  });
  const note = message("text");
  const render = (given: RenderedMessage) => host.renderMessage(given, { width: 3, expanded: true }, plainTheme);
  expect(render(note)).toEqual({ kind: "lines", lines: ["one", "two"] });
  expect(drawn).toEqual([message("text"), true, 3]);
  expect(note).toEqual(message("text"));
  expect(render(message("lines"))).toEqual({ kind: "lines", lines: ["a", "b"] });
  expect(render(message("component"))).toEqual({ kind: "lines", lines: ["xxx"] });
  for (const type of ["nothing", "throws", "late", "number", "unknown"]) {
    expect(render(message(type))).toEqual({ kind: "default" });
  }
  expect(render(message("hidden", false))).toEqual({ kind: "hidden" });
  expect(told()).toEqual(["1 renderer:throws", "1 renderer:late", "1 renderer:number"]);
});

test("an extension speaks to the user where somebody sits, and into the air elsewhere", async () => {
  const shown: unknown[] = [];
  const ui: ExtensionUI = {
    notify: (text, level) => void shown.push([text, level]),
    setEditorText: (text) => void shown.push(text),
  };
  const speaking: Extension = (api) => {
    api.on("session_start", (_, ctx) => {
      shown.push(ctx.hasUI);
      ctx.ui.notify("hello", "warning");
      ctx.ui.setEditorText("text");
    });
  };
  await extended([speaking], [], { ui });
  await extended([speaking]);
  expect(shown).toEqual([true, ["hello", "warning"], "text", false]);
});

test("model, thinking level, labels and names are set through the session", async () => {
  const { host, session, api, model } = await extended([], [says("1")]);
  await host.harness.prompt("a");
  await api.setModel(model);
  await api.setThinkingLevel("high");
  await api.setSessionName("named");
  const leaf = session.leafId as string;
  await api.setLabel(leaf, "here");
  expect([api.getThinkingLevel(), api.getSessionName(), await session.getLabel(leaf)]).toEqual([
    "high",
    "named",
    "here",
  ]);
  await api.setLabel(leaf);
  expect(await session.getLabel(leaf)).toBeUndefined();
  expect((await session.buildContext()).thinkingLevel).toBe("high");
  await until(() => host.harness.isIdle);
});

test("a handler for what there is not is reported, for it would never be called", async () => {
  const { told } = await extended([(api) => void api.on("session_tre" as "session_tree", () => undefined)]);
  expect(told()).toEqual(["1 session_tre"]);
});

test("what the application's own handlers do wrong is heard as well", async () => {
  const { host, told } = await extended([], [says("1")]);
  host.harness.on("context", () => Promise.reject(new Error("no")));
  await host.harness.prompt("a");
  expect(told()).toEqual(["application context"]);
});
