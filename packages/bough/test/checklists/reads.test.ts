import { expect, test } from "vitest";
import { idsOf, openStory } from "../support/stories.ts";
import { MemoryStorage, Session, user } from "./engine.ts";

const tree = `U(u1,-,"one")
  A(a1,u1,"two")
  U(u2,a1,"three")
  U(u3,a1,"other")
  L(l1,u3,u1,"start")`;

test("pi-67 omp-15 omp-16 a path goes from a root to the leaf, or to the entry asked for; an unknown one is not_found", async () => {
  const { session } = await openStory(tree);
  const path = await session.getBranch();
  expect(idsOf(path)).toEqual(["u1", "a1", "u3"]);
  expect(path.map((entry) => entry.parentId)).toEqual([null, "u1", "a1"]);
  expect(idsOf(await session.getBranch("u2"))).toEqual(["u1", "a1", "u2"]);
  await expect(session.getBranch("nowhere")).rejects.toMatchObject({ code: "not_found" });
});

test("pi-68 omp-13 an unknown entry is undefined, and a leaf has no children", async () => {
  const { session } = await openStory(tree);
  expect(await session.getEntry("nowhere")).toBeUndefined();
  expect(await session.getChildren("u2")).toEqual([]);
});

test("pi-69 omp-14 children are the direct ones in the order they were appended; those of null are the roots", async () => {
  const { session } = await openStory(tree);
  expect(idsOf(await session.getChildren("a1"))).toEqual(["u2", "u3"]);
  expect(idsOf(await session.getChildren(null))).toEqual(["u1"]);
});

test("pi-70 pi-71 pi-76 omp-18 omp-32 a tree has every entry once, children in order, and the labels", async () => {
  const { session } = await openStory(tree);
  const [root] = await session.getTree();
  const found: string[] = [];
  const open = [root];
  for (let node = open.shift(); node; node = open.shift()) {
    found.push(node.entry.id);
    open.push(...node.children);
  }
  expect(found.sort()).toEqual(["a1", "l1", "u1", "u2", "u3"]);
  expect(root?.label).toBe("start");
  expect(idsOf(root?.children[0]?.children.map((node) => node.entry) ?? [])).toEqual(["u2", "u3"]);
});

test("pi-73 a tree is the caller's own", async () => {
  const { session } = await openStory(tree);
  const first = await session.getTree();
  first.length = 0;
  expect(await session.getTree()).toHaveLength(1);
});

test("pi-36 pi-37 pi-38 omp-20 orphans, an entry that is its own parent, and a circle all stand as roots", async () => {
  const { session } = await openStory(`U(u1,zz,"orphan")\nU(c,c,"self")\nU(a,b,"one")\nU(b,a,"two")`);
  expect((await session.getTree()).map((node) => node.entry.id)).toEqual(["u1", "c", "a", "b"]);
  expect(session.diagnostics.map((found) => found.code)).toEqual(["orphan", "self_parent", "cycle", "cycle"]);
  for (const id of ["u1", "c", "a", "b"]) expect((await session.getBranch(id)).at(-1)?.id).toBe(id);
});

test("pi-66 entries can be read from an id on, so many at a time", async () => {
  const { session } = await openStory(tree);
  expect(idsOf(await session.getEntries({ after: "a1", limit: 2 }))).toEqual(["u2", "u3"]);
  expect(idsOf(await session.getEntries({ after: "l1" }))).toEqual([]);
  expect(idsOf(await session.getEntries({ limit: 1 }))).toEqual(["u1"]);
  await expect(session.getEntries({ after: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
});

test("pi-2 omp-1 the header is no entry", async () => {
  const { session } = await openStory(tree);
  expect((await session.getEntries()).some((entry) => (entry as { type: string }).type === "session")).toBe(false);
  expect(session.header).toMatchObject({ type: "session", version: 3, id: "s1", cwd: "/w/p" });
  expect(session.header).not.toHaveProperty("parentId");
});

test("pi-62 omp-22 omp-79 a session in memory has no file", async () => {
  const session = new Session(new MemoryStorage());
  await session.appendMessage(user("one"));
  await session.flush();
  expect(session.storage.ref.location).toBeUndefined();
});

test("pi-35 an entry of unknown type keeps its place, its bytes and its path, and tells the model nothing", async () => {
  const { session } = await openStory(`U(u1,-,"one")\nA(a1,u1,"two")`);
  const unknown = {
    type: "novelty",
    id: "n1",
    parentId: "a1",
    timestamp: "2026-01-01T00:00:00.000Z",
    what: { ever: 1 },
  };
  await session.storage.appendEntry(unknown as never);
  const id = await session.appendMessage(user("three"));
  expect(idsOf(await session.getBranch())).toEqual(["u1", "a1", "n1", id]);
  expect(await session.getEntry("n1")).toEqual(unknown);
  expect((await session.buildContext()).messages).toHaveLength(3);
});

test("pi-42 omp-21 a chain of 30,000 entries is read whole in every way", async () => {
  const chain = Array.from({ length: 30_000 }, (_, at) => `U(e${at},${at === 0 ? "-" : `e${at - 1}`},"x")`).join("\n");
  const { session } = await openStory(chain);
  expect(await session.getBranch()).toHaveLength(30_000);
  expect(await session.getTree()).toHaveLength(1);
  expect((await session.buildContext()).messages).toHaveLength(30_000);
  expect(await session.branches()).toHaveLength(1);
});
