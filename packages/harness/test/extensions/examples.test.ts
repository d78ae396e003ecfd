import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { messageText } from "bough/outline";
import { expect, test } from "vitest";
import { type ExtensionUI, loadExtensions, type NamedExtension, plainTheme } from "../../src/index.ts";
import { calls, pathOf, says, tool } from "../support/scripted.ts";
import { converse, extended, idOf, until } from "./support.ts";

const root = resolve(import.meta.dirname, "../../../..");
const folder = join(root, "examples/extensions");
const guide = readFileSync(join(root, "docs/extensions.md"), "utf8");

/** The examples as the user's own extensions are loaded. */
async function example(name: string): Promise<NamedExtension> {
  const path = join(folder, `${name}.ts`);
  return { name, extension: (await import(path)).default };
}

function screen() {
  const shown: string[] = [];
  const edited: string[] = [];
  const ui: ExtensionUI = { notify: (text) => void shown.push(text), setEditorText: (text) => void edited.push(text) };
  return { shown, edited, ui };
}

test("the examples are short, explained in the guide, and can be loaded", async () => {
  const names = readdirSync(folder);
  expect(names.length).toBeGreaterThanOrEqual(5);
  for (const name of names) {
    expect(readFileSync(join(folder, name), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect(guide).toContain(`examples/extensions/${name}`);
  }
  const { extensions, failures } = await loadExtensions({ cwd: "/nowhere", home: join(root, "examples") });
  expect(failures).toEqual([]);
  expect(extensions.map(({ name }) => name)).toEqual(names.toSorted().map((name) => join(folder, name)));
});

test("checkpoints: every tool run that succeeded has a label, counted on in a session that is taken up", async () => {
  const act = tool("act", ({ text }) => {
    if (text === "bad") throw new Error("no");
    return text;
  });
  const checkpoints = await example("checkpoints");
  const steps = ["a", "bad", "b"].map((text, index) => calls("act", { text }, `${index}`));
  const { host, session, told } = await extended([checkpoints], [...steps, says("done")], {
    harness: { tools: [act] },
  });
  await host.harness.prompt("go");
  await host.close();
  const again = await extended([checkpoints], [calls("act", { text: "c" }), says("done")], {
    session,
    harness: { tools: [act] },
  });
  await again.host.harness.prompt("more");
  const labelled: unknown[] = [];
  for (const entry of await session.getBranch()) {
    const label = await session.getLabel(entry.id);
    if (label !== undefined && entry.type === "message") labelled.push([label, messageText(entry.message)]);
  }
  expect(labelled).toEqual([
    ["checkpoint-1", "a"],
    ["checkpoint-2", "b"],
    ["checkpoint-3", "c"],
  ]);
  expect([...told(), ...again.told()]).toEqual([]);
});

test("requests-only: the summary is what the user said, in order, over two compactions; with instructions a model writes it", async () => {
  const session = new Session(new MemoryStorage());
  await converse(session, 10);
  const { shown, ui } = screen();
  const written = says("## Goal\nWritten by the model, because somebody wanted something special of it.");
  const { host, told, faux } = await extended([await example("requests-only")], [written], { session, ui });
  const first = await host.harness.compact({ keep: { turns: 2 } });
  expect(first).toMatchObject({ fromHook: true, details: { requests: 8 } });
  expect(first.summary.match(/^- \d/gm)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"].map((n) => `- ${n}`));
  await converse(session, 3);
  const second = await host.harness.compact({ keep: { turns: 1 } });
  expect(second.summary.startsWith(first.summary)).toBe(true);
  expect(second.details).toMatchObject({ requests: 4 });
  expect(shown).toHaveLength(2);
  expect(faux.getPendingResponseCount()).toBe(1);
  await converse(session, 10);
  expect((await host.harness.compact({ keep: { turns: 1 }, instructions: "In French." })).summary).toContain(
    "Written by the model",
  );
  expect(shown).toHaveLength(2);
  expect(told()).toEqual([]);
});

test("back: the leaf goes before what was said, the words come back, and nothing is lost", async () => {
  const { shown, edited, ui } = screen();
  const { host, session, told } = await extended(
    [await example("back")],
    ["1", "2", "3"].map((text) => says(text)),
    { ui },
  );
  for (const words of ["a", "b", "c"]) await host.harness.prompt(words);
  const count = (await session.getEntries()).length;
  expect(await host.runCommand("back")).toEqual({ status: "done" });
  expect((await pathOf(session)).slice(1)).toEqual(["user: a", "assistant: 1", "user: b", "assistant: 2"]);
  expect(await host.runCommand("back", "2")).toEqual({ status: "done" });
  expect(await pathOf(session)).toEqual(["model_change"]);
  await host.runCommand("back");
  expect(edited).toEqual(["c", "a"]);
  expect(shown).toHaveLength(1);
  expect((await session.getEntries()).length).toBeGreaterThanOrEqual(count);
  expect(told()).toEqual([]);
});

test("progress-note: a note after ten turns, behind the results of the tenth, drawn as a bar", async () => {
  const steps = Array.from({ length: 10 }, (_, index) => calls("act", { text: `${index}` }, `${index}`));
  const { host, session, told } = await extended([await example("progress-note")], [...steps, says("done")], {
    harness: { tools: [tool("act", ({ text }) => text)] },
  });
  await host.harness.prompt("go");
  const note = (await session.getBranch()).find((entry) => entry.type === "custom_message");
  if (note?.type !== "custom_message") throw new Error("there is no note");
  const path = await pathOf(session);
  expect(path.slice(-3).map((line) => line.split(":")[0])).toEqual(["toolResult", "note", "assistant"]);
  const render = (width: number, expanded: boolean) => host.renderMessage(note, { width, expanded }, plainTheme);
  expect(render(80, false)).toEqual({ kind: "lines", lines: [`progress ${"█".repeat(10)}`] });
  expect(render(15, true)).toEqual({ kind: "lines", lines: [`progress ${"█".repeat(5)}`, "10 turns"] });
  expect(told()).toEqual([]);
});

test("todo: the list is that of the branch, of the session that is taken up, and of a fork", async () => {
  const { shown, ui } = screen();
  const todo = await example("todo");
  const adds = (add: string) => calls("todo", { add }, add);
  const steps = [adds("one"), says("ok"), adds("two"), says("ok"), adds("other"), says("ok")];
  const { host, session, told, repo } = await extended([todo], steps, { ui });
  await host.harness.prompt("a");
  const first = session.leafId as string;
  await host.harness.prompt("b");
  const second = session.leafId as string;
  const list = async () => {
    await host.runCommand("todos");
    return shown.at(-1);
  };
  expect(await list()).toBe("one\ntwo");
  await host.harness.navigateTree(first);
  expect(await list()).toBe("one");
  await host.harness.prompt("c");
  expect(await list()).toBe("one\nother");
  await host.harness.navigateTree(second);
  expect(await list()).toBe("one\ntwo");
  await host.fork(await idOf(session, "b"));
  expect(await list()).toBe("one");
  await host.close();
  const again = await extended([todo], [], { session: await repo.open(session.id), ui });
  await again.host.runCommand("todos");
  expect(shown.at(-1)).toBe("one\ntwo");
  await until(() => again.host.harness.isIdle);
  expect(told()).toEqual([]);
});
