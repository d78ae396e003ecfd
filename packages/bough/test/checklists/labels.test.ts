import { expect, test } from "vitest";
import { openStory, told } from "../support/stories.ts";

const two = `U(u1,-,"one")\nA(a1,u1,"two")\nU(u2,a1,"three")`;

test("pi-76 pi-77 pi-84 omp-29 the last label wins, and undefined, empty and blank ones clear it", async () => {
  const { session, reopened } = await openStory(two);
  for (const blank of [undefined, "", "  "]) {
    await session.appendLabel("u1", "first");
    await session.appendLabel("u1", "second");
    expect(await session.getLabel("u1")).toBe("second");
    await session.appendLabel("u1", blank);
    expect(await session.getLabel("u1")).toBeUndefined();
    expect(await (await reopened()).getLabel("u1")).toBeUndefined();
  }
});

test("omp-30 a cleared label is stored without a label, not with a word for none", async () => {
  const { session, text } = await openStory(two);
  await session.appendLabel("u1", "x");
  await session.appendLabel("u1");
  const last = JSON.parse(text().trimEnd().split("\n").at(-1) as string);
  expect(last).toMatchObject({ type: "label", targetId: "u1" });
  expect(last.label ?? "").toBe("");
});

test("pi-78 omp-24 labelling an entry that isn't there is not_found and stores nothing", async () => {
  const { session, bytes } = await openStory(two);
  const before = bytes();
  await expect(session.appendLabel("nowhere", "x")).rejects.toMatchObject({ code: "not_found" });
  expect(bytes()).toEqual(before);
});

test("pi-79 labels and names tell the model nothing", async () => {
  const { session } = await openStory(two);
  await session.appendLabel("u1", "x");
  await session.appendSessionName("name");
  expect(await told(session)).toEqual(["one", "two", "three"]);
});

test("pi-80 omp-31 omp-33 labels are seen from every branch, and any entry can have one", async () => {
  const { session } = await openStory(two);
  const label = await session.appendLabel("u2", "there");
  await session.moveTo("a1");
  expect(await session.getLabel("u2")).toBe("there");
  await session.appendLabel(label, "a label's label");
  expect(await session.getLabel(label)).toBe("a label's label");
  expect(session.leafId).toBe("a1");
});

test("pi-82 a name is one line, the last one wins, an empty one clears it", async () => {
  const { session, reopened } = await openStory(two);
  await session.appendSessionName("  two\r\nlines ");
  expect(await session.getSessionName()).toBe("two lines");
  await session.moveTo("u1");
  await session.appendSessionName("later");
  expect(await (await reopened()).getSessionName()).toBe("later");
  await session.appendSessionName("");
  expect(await session.getSessionName()).toBeUndefined();
});
