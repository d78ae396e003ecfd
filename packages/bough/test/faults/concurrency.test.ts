import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EntryFactory } from "../../src/index.ts";
import { assistant, user } from "../../src/index.ts";
import { jsonlRepo, newStory, openStory, textsOf } from "../support/stories.ts";

test("CC-02 one session opened twice in a process is one log: both append, and it opens again", async () => {
  const { repo, session, path, reopened } = await newStory();
  await session.appendMessage(user("start"));
  const other = await repo.open(path);
  await session.appendMessage(assistant("from the first"));
  await other.appendMessage(assistant("from the second"));
  expect(other.storage.host).toBe(session.storage.host);
  expect(textsOf(await (await reopened()).getEntries())).toEqual(["start", "from the first", "from the second"]);
});

test("CC-01 pi-58 omp-78 two writers at one leaf make two branches, and lose nothing", async () => {
  const { session, reopened, text } = await newStory();
  const leaf = await session.appendMessage(user("start"));
  const other = await reopened();
  await session.appendMessage(user("one"));
  await other.appendMessage(user("two"));
  await session.refresh();
  expect(textsOf(await session.getChildren(leaf))).toEqual(["one", "two"]);
  expect(textsOf(await session.getBranch())).toEqual(["start", "one"]);
  expect(textsOf(await other.getBranch())).toEqual(["start", "two"]);
  expect(text().trimEnd().split("\n")).toHaveLength(4);
});

test("CC-03 naming a session keeps what another process appended since it was opened", async () => {
  const { session, reopened } = await newStory();
  await session.appendMessage(user("mine"));
  const other = await reopened();
  await other.appendMessages([assistant("theirs"), user("theirs too")]);
  await other.close();
  await session.appendSessionName("x");
  const after = await reopened();
  expect(textsOf(await after.getBranch())).toEqual(["mine", "theirs", "theirs too"]);
  expect(await after.getSessionName()).toBe("x");
});

test("CC-04 a foreign line that is no JSON hinders neither appending nor closing, and stays", async () => {
  const { session, path, text } = await newStory();
  await session.appendMessage(user("one"));
  appendFileSync(path, "%% not json\n");
  await session.appendMessage(user("two"));
  await session.close();
  expect(text()).toContain("%% not json\n");
  expect(text()).toContain("two");
});

test("CC-06 creating twice makes two sessions that don't see each other", async () => {
  const repo = jsonlRepo();
  const [first, second] = [await repo.create(), await repo.create()];
  await first.appendMessage(user("only here"));
  expect(first.id).not.toBe(second.id);
  expect((await second.buildContext()).messages).toEqual([]);
});

test("CC-07 pi-57 omp-73 fifty appends at once are one chain in call order", async () => {
  const { session, reopened } = await newStory();
  const wanted = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const ids = await Promise.all(wanted.map((text) => session.appendMessage(user(text))));
  await session.flush();
  const stored = await (await reopened()).getEntries();
  expect(textsOf(stored)).toEqual(wanted);
  expect(stored.map((entry) => entry.parentId)).toEqual([null, ...ids.slice(0, -1)]);
});

test("CC-08 a clock that stands still or goes back changes no order", async () => {
  for (const step of [0, -3_600_000]) {
    let now = Date.UTC(2026, 0, 1);
    let ids = 0;
    const factory: EntryFactory = { now: () => (now += step), newId: () => `e${++ids}` };
    const { session, reopened } = await newStory({ factory });
    for (const text of ["one", "two", "three"]) await session.appendMessage(user(text));
    expect(textsOf(await (await reopened()).getBranch())).toEqual(["one", "two", "three"]);
  }
});

test("CC-12 DL-11 an entry that can't be stored is refused before anything is written, and the next one is taken", async () => {
  const { session, bytes } = await newStory();
  await session.appendMessage(user("one"));
  const before = bytes();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (const data of [{ n: 10n }, { f: () => 0 }, { nan: Number.NaN }, cycle]) {
    await expect(session.appendCustomEntry("state", data)).rejects.toMatchObject({ code: "invalid_entry" });
  }
  const spread = { ...("plain text" as unknown as object) } as unknown as ReturnType<typeof user>;
  await expect(session.appendMessage(spread)).rejects.toMatchObject({ code: "invalid_entry" });
  expect(bytes()).toEqual(before);
  await session.appendMessage(user("two"));
  expect(textsOf(await session.getBranch())).toEqual(["one", "two"]);
});

test("BR-16 BR-01 an entry whose parent isn't there is refused", async () => {
  const { session, bytes } = await openStory(`U(u1,-,"one")`);
  const before = bytes();
  const entry = {
    type: "custom",
    id: "x1",
    parentId: "temporary",
    timestamp: "2026-01-01T00:00:00.000Z",
    customType: "t",
  };
  await expect(session.storage.appendEntry(entry as never)).rejects.toMatchObject({ code: "unknown_parent" });
  expect(bytes()).toEqual(before);
});

test("AP-06 appending the same entry again stores nothing and answers with its id; other content is refused", async () => {
  const { session, bytes } = await openStory(`U(u1,-,"one")`);
  const entry = {
    type: "custom",
    id: "x1",
    parentId: "u1",
    timestamp: "2026-01-01T00:00:00.000Z",
    customType: "t",
  } as const;
  expect(await session.storage.appendEntry({ ...entry, data: 1 })).toBe("x1");
  const once = bytes();
  expect(await session.storage.appendEntry({ ...entry, data: 1 })).toBe("x1");
  await expect(session.storage.appendEntry({ ...entry, data: 2 })).rejects.toMatchObject({ code: "already_exists" });
  expect(bytes()).toEqual(once);
});

test("AP-07 a session object outlives compactions, moves and renames", async () => {
  const { session } = await openStory(`U(u1,-,"one")\nA(a1,u1,"two")`);
  await session.appendCompaction({ summary: "S", tokensBefore: 10 });
  await session.appendCustomEntry("x", 1);
  await session.moveTo("a1");
  await session.appendSessionName("name");
  const last = await session.appendCustomEntry("x", 2);
  expect(session.leafId).toBe(last);
});

test("AP-02 after closing every verb rejects, and closing again is fine", async () => {
  const { session } = await openStory(`U(u1,-,"one")`);
  await session.close();
  const closed = { code: "closed" };
  await expect(session.appendMessages([])).rejects.toMatchObject(closed);
  await expect(session.appendMessage(user("two"))).rejects.toMatchObject(closed);
  await expect(session.appendLabel("u1", "x")).rejects.toMatchObject(closed);
  await expect(session.moveTo(null)).rejects.toMatchObject(closed);
  await expect(session.buildContext()).rejects.toMatchObject(closed);
  await expect(session.getEntries()).rejects.toMatchObject(closed);
  await expect(session.fork()).rejects.toMatchObject(closed);
  await session.close();
});
