import { expect, test } from "vitest";
import { DirectoryRepo } from "../../src/storage/directory/index.ts";
import { newStory, openStory, told } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { assistant, MemoryRepo, Session, SessionStorage, user } from "./engine.ts";

const four = `U(u1,-,"one")
  A(a1,u1,"two")
  U(u2,a1,"three")
  A(a2,u2,"four")`;

test("pi-219 pi-184 a session is opened and forked by its id and by what the list says of it", async () => {
  const repo = new MemoryRepo();
  const session = await repo.create({ cwd: "/w/p" });
  const id = await session.appendMessage(user("one"));
  const [info] = await repo.list();
  expect((await repo.open(session.id)).leafId).toBe(id);
  expect((await repo.open(info as NonNullable<typeof info>)).leafId).toBe(id);
  expect((await repo.fork(session.id, id)).leafId).toBe(id);
  expect((await repo.fork(info as NonNullable<typeof info>, id)).leafId).toBe(id);
  await repo.delete(session.id);
  await expect(repo.open(session.id)).rejects.toMatchObject({ code: "not_found" });
  await repo.delete(session.id);
});

test("pi-221 an application's entry needs neither data nor details", async () => {
  const { session } = await newStory();
  const id = await session.appendCustomEntry("mark");
  expect(await session.getEntry(id)).not.toHaveProperty("data");
  expect(await session.getEntry(id)).not.toHaveProperty("details");
});

test("pi-222 pi-223 pi-15 a compaction takes a tail of messages and the tokens after it, and keeps both", async () => {
  const { session, reopened } = await openStory(four);
  const retainedTail = [{ role: "user" as const, content: "kept", timestamp: 1 }];
  const id = await session.appendCompaction({ summary: "S", tokensBefore: 9, tokensAfter: 4, retainedTail });
  expect(await (await reopened()).getEntry(id)).toMatchObject({ tokensAfter: 4, retainedTail });
  expect(await told(session)).toEqual(["S", "kept"]);
});

test("pi-228 a compaction is a child of the leaf like any other entry, and above it everything stays", async () => {
  const { session } = await openStory(four);
  const id = await session.appendCompaction({ summary: "S", tokensBefore: 9, firstKeptEntryId: "u2" });
  expect(await session.getEntry(id)).toMatchObject({ parentId: "a2" });
  expect(await session.getBranch()).toHaveLength(5);
  expect(await told(session)).toEqual(["S", "three", "four"]);
});

test("pi-232 a branch summary can be appended, naming any leaf that was left", async () => {
  const { session } = await openStory(four);
  const id = await session.appendBranchSummary({ summary: "B", fromId: "a1" });
  expect(await session.getEntry(id)).toMatchObject({ parentId: "a2", fromId: "a1" });
});

test("pi-107 an edit of what isn't on the path, isn't there or has no content is refused", async () => {
  const { session, bytes } = await openStory(`${four}\nM(m1,a1,"acme/large")\nU(u3,m1,"other")`);
  const before = bytes();
  const invalid = { code: "invalid_entry", details: { field: "targetId" } };
  await expect(session.appendContextEdit("a2", null)).rejects.toMatchObject(invalid);
  await expect(session.appendContextEdit("m1", null)).rejects.toMatchObject(invalid);
  await expect(session.appendContextEdit("nowhere", null)).rejects.toMatchObject({ code: "not_found" });
  expect(bytes()).toEqual(before);
});

test("pi-102 a custom message is shown unless it says otherwise", async () => {
  const { session } = await newStory();
  const id = await session.appendCustomMessageEntry({ customType: "n", content: "c" });
  expect(await session.getEntry(id)).toMatchObject({ display: true });
});

test("AP-04 pi-187 one history gives one context and one tree on every storage", async () => {
  const tell = async (session: Awaited<ReturnType<MemoryRepo["create"]>>) => {
    const first = await session.appendMessage(user("one"));
    await session.appendMessage(assistant("two"));
    await session.moveTo(first);
    await session.appendMessage(assistant("three"));
    await session.appendLabel(first, "start");
    await session.appendCompaction({ summary: "S", tokensBefore: 1, firstKeptEntryId: first });
    return { context: await session.buildContext(), tree: await session.getTree(), leaf: session.leafId };
  };
  const factory = () => {
    let ids = 0;
    return { now: () => 0, newId: () => `e${++ids}` };
  };
  const inMemory = await tell(await new MemoryRepo({ factory: factory() }).create());
  const { session } = await newStory({ factory: factory() });
  expect(await tell(session)).toEqual(inMemory);
  await using folders = new DirectoryRepo({ root: temporaryFolder(), factory: factory() });
  expect(await tell(await folders.create())).toEqual(inMemory);
});

test("pi-75 omp-62 a context at an entry that isn't there is not_found, and never another branch's", async () => {
  const { session } = await openStory(four);
  await expect(session.buildContext({ leafId: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  expect((await session.buildContext({ leafId: null })).messages).toEqual([]);
});

test("a session over a log of one's own has no store to be forked into or thrown away by", async () => {
  const { session } = await openStory(four);
  const alone = new Session(new SessionStorage(session.storage.host));
  expect(await told(alone)).toEqual(["one", "two", "three", "four"]);
  expect(alone.storage.ref).toEqual({ id: "s1" });
  await expect(alone.fork()).rejects.toMatchObject({ code: "invalid_state" });
  await expect(alone.delete()).rejects.toMatchObject({ code: "invalid_state" });
});
