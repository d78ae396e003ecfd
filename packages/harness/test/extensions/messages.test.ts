import { isBoughError } from "bough";
import { expect, test } from "vitest";
import type { ExtensionAPI, SendMessageOptions } from "../../src/index.ts";
import { calls, pathOf, says, tool } from "../support/scripted.ts";
import { extended, until } from "./support.ts";

const note = (content = "note") => ({ customType: "x", content, display: true });

/** A run of two turns, in whose first tool call `during` happens. */
async function duringRun(during: (api: ExtensionAPI) => Promise<unknown>, replies: number) {
  const apis: ExtensionAPI[] = [];
  const act = tool("act", async () => {
    await during(apis[0] as ExtensionAPI);
    return "acted";
  });
  const answers = Array.from({ length: replies }, (_, index) => says(`answer ${index + 1}`));
  const made = await extended([(api) => void apis.push(api)], [calls("act", {}), ...answers], {
    harness: { tools: [act] },
  });
  await made.host.harness.prompt("go");
  return { ...made, path: (await pathOf(made.session)).slice(1) };
}

test("pi-206 omp-91 idle: one note and no turn; with triggerTurn a turn", async () => {
  const { host, session, events, api } = await extended([], [says("answer")]);
  await api.sendMessage(note("one"));
  await api.sendMessage(note("two"), { deliverAs: "steer" });
  await api.sendMessage(note("three"), { triggerTurn: false, deliverAs: "followUp" });
  expect(await pathOf(session)).toEqual(["note: one", "note: two", "note: three"]);
  expect(events.filter(({ type }) => type === "turn_start")).toEqual([]);
  await api.sendMessage(note("four"), { triggerTurn: true });
  await host.harness.waitForIdle();
  expect((await pathOf(session)).slice(3)).toEqual(["model_change", "note: four", "assistant: answer"]);
});

test.each<[SendMessageOptions | undefined]>([
  [{ deliverAs: "nextTurn" }],
  [{ deliverAs: "nextTurn", triggerTurn: true }],
])("pi-206 idle, %j: waits for the next prompt", async (options) => {
  const { host, session, api } = await extended([], [says("answer")]);
  await api.sendMessage(note(), options);
  expect(host.harness.hasPendingMessages).toBe(true);
  expect(await pathOf(session)).toEqual([]);
  await host.harness.prompt("go");
  expect((await pathOf(session)).slice(1)).toEqual(["note: note", "user: go", "assistant: answer"]);
});

const start = ["user: go", "assistant: <act>", "toolResult: acted"];

test.each<[SendMessageOptions | undefined, number, string[]]>([
  [undefined, 1, ["note: note", "assistant: answer 1"]],
  [{ triggerTurn: true }, 1, ["note: note", "assistant: answer 1"]],
  [{ deliverAs: "steer" }, 1, ["note: note", "assistant: answer 1"]],
  [{ deliverAs: "followUp" }, 2, ["assistant: answer 1", "note: note", "assistant: answer 2"]],
  [{ deliverAs: "followUp", triggerTurn: true }, 2, ["assistant: answer 1", "note: note", "assistant: answer 2"]],
  [{ triggerTurn: false }, 1, ["note: note", "assistant: answer 1"]],
  [{ triggerTurn: false, deliverAs: "followUp" }, 1, ["note: note", "assistant: answer 1"]],
])(
  "pi-206 pi-207 omp-92 in a run, %j: one note, and never between a call and its result",
  async (options, replies, rest) => {
    const { path, faux } = await duringRun(async (api) => await api.sendMessage(note(), options), replies);
    expect(path).toEqual([...start, ...rest]);
    expect(faux.getPendingResponseCount()).toBe(0);
  },
);

test.each<[SendMessageOptions]>([[{ deliverAs: "nextTurn" }], [{ deliverAs: "nextTurn", triggerTurn: true }]])(
  "pi-206 omp-92 in a run, %j: waits for the next prompt",
  async (options) => {
    const { path, host, session, faux } = await duringRun(async (api) => await api.sendMessage(note(), options), 1);
    expect(path).toEqual([...start, "assistant: answer 1"]);
    faux.appendResponses([says("later")]);
    await host.harness.prompt("more");
    expect((await pathOf(session)).slice(-3)).toEqual(["note: note", "user: more", "assistant: later"]);
  },
);

test("pi-208 omp-93 the user's words are always answered; in a run they have to say when", async () => {
  const errors: unknown[] = [];
  const { api, host, session, path, faux, told } = await duringRun(async (given) => {
    await given.sendUserMessage("lost").catch((error) => errors.push(isBoughError(error, "invalid_state")));
    await given.sendUserMessage("then", { deliverAs: "followUp" });
    await given.sendUserMessage("now", { deliverAs: "steer" });
  }, 2);
  expect(errors).toEqual([true]);
  expect(told()).toEqual(["1 sendUserMessage"]);
  expect(path).toEqual([...start, "user: now", "assistant: answer 1", "user: then", "assistant: answer 2"]);
  faux.appendResponses([says("idle")]);
  await api.sendUserMessage([{ type: "text", text: "hello" }]);
  await host.harness.waitForIdle();
  expect((await pathOf(session)).slice(-2)).toEqual(["user: hello", "assistant: idle"]);
});

test("pi-209 omp-94 data is stored, no part of the context, and there after reopening", async () => {
  const { session, repo, api } = await extended([]);
  const ids = [await api.appendEntry("x", { n: 1 }), await api.appendEntry("x", 0), await api.appendEntry("x")];
  expect((await session.buildContext()).messages).toEqual([]);
  const again = await repo.open(session.id);
  const stored = (await again.getEntries()).filter(({ type }) => type === "custom");
  expect(stored.map((entry) => [entry.id, "data" in entry ? entry.data : "none"])).toEqual([
    [ids[0], { n: 1 }],
    [ids[1], 0],
    [ids[2], "none"],
  ]);
});

test("what is asked for while the leaf moves is done where it went, at its end", async () => {
  const { host, session, faux } = await extended(
    [
      (api) => {
        api.on("session_tree", async () => {
          await api.appendEntry("went", 1);
          await api.sendMessage(note("told"));
          await api.sendMessage(note("asked"), { triggerTurn: true });
        });
      },
    ],
    [says("1"), says("2"), says("3")],
  );
  await host.harness.prompt("a");
  const target = session.leafId as string;
  await host.harness.prompt("b");
  await host.harness.navigateTree(target);
  await host.harness.waitForIdle();
  expect((await pathOf(session)).slice(1)).toEqual([
    ...["user: a", "assistant: 1", "custom", "note: told", "note: asked", "assistant: 3"],
  ]);
  expect(faux.getPendingResponseCount()).toBe(0);
});

test("promises that nobody waits for are reported, never thrown into the air", async () => {
  const { host, told } = await extended([
    (api) => {
      void api.appendEntry("early");
      api.registerCommand("bad", {
        handler: () => {
          void api.setLabel("nowhere", "x");
          void api.appendEntry("bough.x", 1);
        },
      });
    },
  ]);
  expect(await host.runCommand("bad")).toEqual({ status: "done" });
  await until(() => told().length === 3);
  expect(told().sort()).toEqual(["1 appendEntry", "1 appendEntry", "1 setLabel"]);
});
