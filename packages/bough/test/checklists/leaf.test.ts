import { expect, test } from "vitest";
import { zeroUsage } from "../../src/entry/usage.ts";
import { idsOf, newStory, openStory, told } from "../support/stories.ts";
import { MemoryStorage, Session, type SessionTreeEntry, user } from "./engine.ts";

const two = `U(u1,-,"one")\nA(a1,u1,"two")`;

test("pi-46 omp-12 an empty session has no leaf, no path and no tree", async () => {
  const session = new Session(new MemoryStorage());
  expect(session.leafId).toBeNull();
  expect(await session.getLeafEntry()).toBeUndefined();
  expect(await session.getBranch()).toEqual([]);
  expect(await session.getTree()).toEqual([]);
});

test("pi-47 pi-48 pi-227 omp-4 omp-23 every appender resolves with its id; conversation and state move the leaf, marks don't", async () => {
  const { session } = await newStory();
  const usage = { kind: "title", provider: "p", model: "m", usage: zeroUsage };
  let leaf: string | null = null;
  const child = async (append: () => Promise<string>) => {
    const id = await append();
    expect((await session.getEntry(id))?.parentId).toBe(leaf);
    expect(session.leafId).toBe(id);
    leaf = id;
  };
  const mark = async (append: () => Promise<string>) => {
    const id = await append();
    expect(await session.getEntry(id)).toMatchObject({ id, parentId: leaf });
    expect(session.leafId).toBe(leaf);
  };
  await child(() => session.appendMessage(user("one")));
  await child(() => session.appendModelChange("p", "m"));
  await child(() => session.appendThinkingLevelChange("high"));
  await child(() => session.appendActiveToolsChange(["sh"]));
  await child(() => session.appendCustomEntry("state", 1));
  await child(() => session.appendCustomMessageEntry({ customType: "note", content: "n" }));
  await child(() => session.appendContextEdit(leaf as string, null));
  await child(() => session.appendSessionInit({ systemPrompt: "s", task: "t", tools: [] }));
  await child(() => session.appendTtsrInjection(["r"]));
  await child(() => session.appendBranchSummary({ summary: "b" }));
  await child(() => session.appendCompaction({ summary: "c", tokensBefore: 1 }));
  await mark(() => session.appendLabel(leaf as string, "x"));
  await mark(() => session.appendSessionName("n"));
  await mark(() => session.appendUsage(usage));
});

test("pi-49 pi-53 omp-34 moving stores one leaf record under its target; the next entry is a sibling and both branches are whole", async () => {
  const { session, text } = await openStory(`${two}\nU(u2,a1,"three")`);
  await session.moveTo("a1");
  const record = JSON.parse(text().trimEnd().split("\n").at(-1) as string);
  expect(record).toMatchObject({ type: "leaf", targetId: "a1", parentId: "a1" });
  expect(session.leafId).toBe("a1");
  const sibling = await session.appendMessage(user("other"));
  expect(idsOf((await session.getChildren("a1")).filter((entry) => entry.type !== "leaf"))).toEqual(["u2", sibling]);
  expect(idsOf(await session.getBranch("u2"))).toEqual(["u1", "a1", "u2"]);
});

test("pi-50 pi-72 omp-19 omp-36 moving before any entry empties the context, and the next entry is a second root", async () => {
  const { session } = await openStory(two);
  await session.moveTo(null);
  expect(session.leafId).toBeNull();
  expect((await session.buildContext()).messages).toEqual([]);
  const root = await session.appendMessage(user("again"));
  const roots = (await session.getTree()).map((node) => node.entry.id);
  expect(roots.filter((id) => id === "u1" || id === root)).toEqual(["u1", root]);
  expect((await session.getEntry(root))?.parentId).toBeNull();
});

test("pi-51 pi-172 omp-35 moving to an entry that isn't there is not_found and writes nothing", async () => {
  const { session, bytes } = await openStory(two);
  const before = bytes();
  await expect(session.moveTo("nowhere")).rejects.toMatchObject({ code: "not_found" });
  await expect(session.storage.setLeafId("nowhere")).rejects.toMatchObject({ code: "not_found" });
  expect(bytes()).toEqual(before);
  expect(session.leafId).toBe("a1");
});

test("pi-54 pi-55 omp-37 a move with a summary is a child of its target and the new leaf; without it nothing is returned", async () => {
  const { session } = await openStory(`${two}\nU(u2,a1,"three")`);
  const id = await session.moveTo("u1", { summary: "tried three", details: { readFiles: [] } });
  expect(await session.getEntry(id as string)).toMatchObject({ type: "branch_summary", parentId: "u1", fromId: "u2" });
  expect(session.leafId).toBe(id);
  expect(await told(session)).toEqual(["one", "tried three"]);
  expect(await session.moveTo("a1")).toBeUndefined();
});

test("omp-38 a summary before any entry is a root and names the leaf that was left", async () => {
  const { session } = await openStory(two);
  const id = await session.moveTo(null, { summary: "all of it" });
  expect(await session.getEntry(id as string)).toMatchObject({ parentId: null, fromId: "a1" });
  const empty = await newStory();
  const first = await empty.session.appendBranchSummary({ summary: "nothing was left" });
  expect(await empty.session.getEntry(first)).toMatchObject({ fromId: "root" });
});

test("pi-81 going to the leaf one stands at writes nothing, also after it was labelled", async () => {
  const { session, bytes } = await openStory(two);
  const label = await session.appendLabel("a1", "here");
  const before = bytes();
  await session.moveTo("a1");
  await session.moveTo(label);
  expect(session.leafId).toBe("a1");
  expect(bytes()).toEqual(before);
});

test("pi-44 pi-45 leaf records are honoured where there are any, and otherwise the last entry is the leaf", async () => {
  expect((await openStory(`${two}\nP(l1,a1,u1)`)).session.leafId).toBe("u1");
  expect((await openStory(two)).session.leafId).toBe("a1");
});

test("pi-56 an append that fails leaves the entry absent and the leaf where it was, and the next one goes on from there", async () => {
  const { session } = await openStory(two);
  await expect(session.appendCustomEntry("bough.own")).rejects.toMatchObject({ code: "invalid_entry" });
  await expect(session.appendLabel("nowhere", "x")).rejects.toMatchObject({ code: "not_found" });
  expect(session.leafId).toBe("a1");
  const id = await session.appendMessage(user("three"));
  expect((await session.getEntry(id))?.parentId).toBe("a1");
});

test("pi-65 omp-17 what is read is a copy or frozen, and what was passed can be changed afterwards", async () => {
  const { session } = await openStory(two);
  const content = [{ type: "text" as const, text: "mine" }];
  const id = await session.appendMessage(user(content));
  (content[0] as { text: string }).text = "changed";
  const entries = (await session.getEntries()) as SessionTreeEntry[];
  expect(() => Object.assign(entries[0] as object, { id: "x" })).toThrow(TypeError);
  try {
    entries.length = 0;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
  }
  expect(await told(session)).toEqual(["one", "two", "mine"]);
  expect(session.leafId).toBe(id);
});
