import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { idsOf, openStory, told } from "../support/stories.ts";
import { assistant, MemoryRepo, type Session, user } from "./engine.ts";

const four = `U(u1,-,"one")
  A(a1,u1,"two")
  U(u2,a1,"three")
  A(a2,u2,"four")`;

const fileOf = (session: Session) => readFileSync(session.storage.ref.location as string, "utf8");
const linesOf = (session: Session) =>
  fileOf(session)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("pi-173 omp-40 a fork at an entry holds exactly the path to it, with its ids, and stands there", async () => {
  const { session, path } = await openStory(four);
  const fork = await session.fork("a1", { position: "at" });
  expect(idsOf(await fork.getEntries())).toEqual(["u1", "a1"]);
  expect(fork.leafId).toBe("a1");
  expect(fork.id).not.toBe(session.id);
  expect(linesOf(fork)[0]).toMatchObject({ type: "session", version: 3, cwd: "/w/p", parentSession: path });
  expect(fork.storage.ref.location).not.toBe(path);
});

test("pi-13 pi-6 a fork's header names the path and the id it came from", async () => {
  const { session, path } = await openStory(four);
  const [header] = linesOf(await session.fork("a1"));
  expect(header).toMatchObject({ parentSession: path, parentSessionId: "s1", inheritedEntries: 2 });
});

test("pi-174 a fork before what the user said ends at its parent; before anything else it is refused", async () => {
  const { session } = await openStory(four);
  expect(idsOf(await (await session.fork("u2", { position: "before" })).getEntries())).toEqual(["u1", "a1"]);
  const refused = { code: "invalid_fork_target", details: { entryId: "a2" } };
  await expect(session.fork("a2", { position: "before" })).rejects.toMatchObject(refused);
});

test("pi-175 a fork without an entry holds every branch and stands where the source stands", async () => {
  const { session } = await openStory(`${four}\nU(u3,a1,"other")\nP(l1,a1,a1)`);
  const fork = await session.fork();
  expect(idsOf((await fork.getEntries()).filter((entry) => entry.type === "message"))).toEqual(
    idsOf((await session.getEntries()).filter((entry) => entry.type === "message")),
  );
  expect(fork.leafId).toBe("a1");
});

test("pi-178 pi-180 omp-43 labels of copied entries come along with their times, as they stand now; the rest doesn't", async () => {
  const { session } = await openStory(`${four}
    L(l1,a2,u1,"old")
    L(l2,a2,u1,"new",ts:+500)
    L(l3,a2,a2,"off the path")
    L(l4,a2,a1,"to be cleared")
    L(l5,a2,a1,"")`);
  const fork = await session.fork("u2");
  expect(await fork.getLabel("u1")).toBe("new");
  expect(await fork.getLabel("a1")).toBeUndefined();
  const labels = linesOf(fork).filter((line) => line.type === "label");
  expect(labels).toMatchObject([{ targetId: "u1", label: "new", timestamp: "2026-01-01T00:08:20.000Z" }]);
});

test("omp-44 pi-178 nodes that hung from a label hang from its position, and the context is the source's", async () => {
  const { session } = await openStory(`U(u1,-,"one")
    L(l1,u1,u1,"mark")
    A(a1,l1,"two")
    U(u2,a1,"three")`);
  const fork = await session.fork("u2");
  const entries = await fork.getEntries();
  const known = new Set(idsOf(entries));
  for (const { parentId } of entries) expect(parentId === null || known.has(parentId)).toBe(true);
  expect(await told(fork)).toEqual(await told(session));
});

test("pi-179 omp-45 a compaction that kept from a label on keeps the same messages in the fork", async () => {
  const { session } = await openStory(`U(u1,-,"one")
    A(a1,u1,"two")
    L(l1,a1,a1,"mark")
    U(u2,l1,"three")
    K(k1,u2,l1,"S")
    U(u3,k1,"four")`);
  expect(await told(session)).toEqual(["S", "three", "four"]);
  expect(await told(await session.fork("u3"))).toEqual(["S", "three", "four"]);
});

test("pi-181 omp-47 a fork in memory has the path only and goes on from there", async () => {
  const session = await new MemoryRepo().create();
  const first = await session.appendMessage(user("one"));
  await session.appendMessage(assistant("two"));
  const fork = await session.fork(first);
  await fork.appendMessage(assistant("other"));
  expect(fork.storage.ref.location).toBeUndefined();
  expect(await told(fork)).toEqual(["one", "other"]);
  expect(await told(session)).toEqual(["one", "two"]);
});

test("pi-182 omp-49 a fork of a path without conversation is a session with one header", async () => {
  const { session } = await openStory(`M(m1,-,"acme/large")\nU(u1,m1,"one")`);
  const fork = await session.fork("m1");
  await fork.appendMessage(user("hello"));
  expect(linesOf(fork).map((line) => line.type)).toEqual(["session", "model_change", "message"]);
});

test("omp-48 a fork at an entry that isn't there is not_found and makes nothing", async () => {
  const { session, bytes } = await openStory(four);
  const before = bytes();
  await expect(session.fork("nowhere")).rejects.toMatchObject({ code: "not_found" });
  expect(bytes()).toEqual(before);
});

test("omp-83 moving changes no total, and a fork's own total is what it spent itself", async () => {
  const { session } = await openStory(
    `U(u1,-,"a")\nA(a1,u1,"b",usage:10,cost:1)\nU(u2,a1,"c")\nA(a2,u2,"d",usage:20,cost:2)`,
  );
  const before = await session.getSessionStats();
  await session.moveTo("a1");
  expect(await session.getSessionStats()).toMatchObject({ tokens: before.tokens, costTotal: before.costTotal });
  expect(await (await session.fork("a1")).getSessionStats()).toMatchObject({
    own: { total: 0 },
    inherited: { total: 10, cost: 1 },
  });
});

test("pi-26b a fork of an older file is a file of this version, and the source keeps its bytes", async () => {
  const v1 = [
    { type: "session", id: "old", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" },
    { type: "message", timestamp: "2026-01-01T00:00:01.000Z", message: { role: "user", content: "one" } },
    { type: "message", timestamp: "2026-01-01T00:00:02.000Z", message: { role: "hookMessage", content: "two" } },
  ];
  const { openFile } = await import("../support/stories.ts");
  const { session, bytes } = await openFile(v1.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const before = bytes();
  const fork = await session.fork();
  expect(linesOf(fork)[0]).toMatchObject({ version: 3 });
  expect(linesOf(fork).slice(1)).toMatchObject([{ id: "00000002" }, { id: "00000003", parentId: "00000002" }]);
  expect(bytes()).toEqual(before);
});
