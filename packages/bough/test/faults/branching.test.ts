import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { idsOf, newStory, openStory, textsOf, told } from "../support/stories.ts";

const four = `U(u1,-,"one")
  A(a1,u1,"two")
  U(u2,a1,"three")
  A(a2,u2,"four")`;

test("BR-03 a fork before the first message has one id everywhere, names its parent, and is empty", async () => {
  const { session, path } = await openStory(`U(u1,-,"only prompt")\nA(a1,u1,"answer")`);
  const fork = await session.fork("u1", { position: "before" });
  const file = fork.storage.ref.location as string;
  const header = JSON.parse(readFileSync(file, "utf8").split("\n")[0] as string);
  expect(basename(file)).toContain(fork.id);
  expect(header).toMatchObject({ id: fork.id, parentSession: path, parentSessionId: "s1" });
  expect((await fork.buildContext()).messages).toEqual([]);
});

test("BR-04 pi-176 omp-41 after a fork only the fork grows, and what it copied is unchanged", async () => {
  const { session, bytes } = await openStory(four);
  const before = bytes();
  const copied = await session.getBranch("a1");
  const fork = await session.fork("a1");
  await fork.appendMessage(user("new"));
  expect(bytes()).toEqual(before);
  expect((await fork.getEntries()).slice(0, 2)).toEqual(copied);
});

test("BR-05 a branch summary stands where it was put and names the leaf that was left", async () => {
  const { session } = await openStory(four);
  const id = await session.moveTo("a1", { summary: "what was tried" });
  expect(await session.getEntry(id as string)).toMatchObject({ parentId: "a1", fromId: "a2" });
  expect(session.leafId).toBe(id);
});

test("BR-07 going back between two compactions shows what the first one kept, and its bytes are as they were", async () => {
  const records = `U(u1,-,"one")
    A(a1,u1,"1")
    K(p1,a1,a1,"S1 long")
    U(u2,p1,"two")
    A(a2,u2,"2")`;
  const first = await openStory(records);
  const before = first.text();
  const { session, text } = await openStory(`${records}\nK(p2,a2,u2,"S2")\nP(l1,p2,a2)`);
  expect(session.leafId).toBe("a2");
  expect(await told(session)).toEqual(["S1 long", "1", "two", "2"]);
  expect(text().startsWith(before)).toBe(true);
});

test("BR-10 a fork at the leaf of a compacted session has the same context", async () => {
  const { session } = await openStory(`${four}\nK(p1,a2,u2,"S")\nU(u3,p1,"now")`);
  const fork = await session.fork("u3");
  expect(await fork.buildContext()).toEqual(await session.buildContext());
});

test("BR-11 appending to a fork of a long session adds one line, and no id stands twice", async () => {
  const turns = Array.from(
    { length: 3000 },
    (_, index) => `U(u${index},${index === 0 ? "-" : `u${index - 1}`},"200 chars")`,
  );
  const { session } = await openStory(turns.join("\n"));
  const fork = await session.fork("u2999");
  const file = fork.storage.ref.location as string;
  const lines = () => readFileSync(file, "utf8").trimEnd().split("\n");
  const before = lines().length;
  await fork.appendMessage(user("more"));
  const ids = lines().map((line) => JSON.parse(line).id);
  expect(ids).toHaveLength(before + 1);
  expect(new Set(ids).size).toBe(ids.length);
});

test("BR-12 pi-177 a fork from above a compaction has the context of that time, and from below keeps all above it", async () => {
  const { session } = await openStory(`${four}\nK(p1,a2,u2,"S")\nU(u3,p1,"now")`);
  expect(await told(await session.fork("a1"))).toEqual(["one", "two"]);
  expect(textsOf(await (await session.fork("u3")).getEntries())).toEqual(["one", "two", "three", "four", "now"]);
});

test("BR-13 omp-42 nothing from after the fork point is in the fork", async () => {
  const { session } = await openStory(`U(u1,-,"a")\nA(a1,u1,"b")\nU(u2,a1,"SECRET-LATER")\nA(a2,u2,"c")`);
  const fork = await session.fork("a1");
  expect(readFileSync(fork.storage.ref.location as string, "utf8")).not.toContain("SECRET-LATER");
});

test("BR-14 going back inside a fork cuts the context, and going there again restores it", async () => {
  const { session } = await openStory(four);
  const fork = await session.fork("a2");
  await fork.moveTo(null);
  await fork.appendMessage(user("fresh"));
  expect(await told(fork)).toEqual(["fresh"]);
  await fork.moveTo("a2");
  expect(await told(fork)).toEqual(["one", "two", "three", "four"]);
});

test("BR-17 pi-52 omp-39 a move without a message after it is there when the session is opened again", async () => {
  const { session, reopened } = await openStory(four);
  await session.moveTo("a1");
  await session.close();
  expect((await reopened()).leafId).toBe("a1");
});

test("BR-18 a leaf before any entry survives reopening and forking, and the next entry is a root", async () => {
  const { session, reopened } = await openStory(`${four}\nP(l1,a2,-)`);
  const again = await reopened();
  const fork = await session.fork();
  for (const opened of [session, again, fork]) {
    expect(opened.leafId).toBeNull();
    expect((await opened.buildContext()).messages).toEqual([]);
    const root = await opened.appendMessage(user("second root"));
    expect((await opened.getEntry(root))?.parentId).toBeNull();
  }
});

test("BR-19 the branch and everything are two reads", async () => {
  const { session } = await openStory(`${four}\nU(u3,a1,"water?")\nA(a3,u3,"ok")`);
  expect(idsOf(await session.getBranch())).toEqual(["u1", "a1", "u3", "a3"]);
  expect(idsOf(await session.getEntries())).toEqual(["u1", "a1", "u2", "a2", "u3", "a3"]);
});

test("BR-24 pi-40 a second header changes nothing and is reported", async () => {
  const { session } = await openStory(`H(id:s2,parentSession:s1)\nH(id:s1)\nU(u1,-,"copied")\nA(a1,u1,"own")`);
  expect(session.id).toBe("s2");
  expect(session.diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["second_header"]);
  expect(await told(session)).toEqual(["copied", "own"]);
});

test("LS-16 the model in force is that of the place, whether one moved there or opened there", async () => {
  const { session, reopened } = await openStory(`M(m1,-,"acme/large")
    U(u1,m1,"a")
    A(a1,u1,"b")
    M(m2,a1,"acme/small")
    U(u2,m2,"c")`);
  expect((await session.buildContext()).model).toEqual({ provider: "acme", modelId: "small" });
  await session.moveTo("a1");
  for (const opened of [session, await reopened()]) {
    expect((await opened.buildContext()).model).toEqual({ provider: "acme", modelId: "large" });
  }
});

test("LS-15 opening and building a context with a model that is gone writes nothing", async () => {
  const { session, bytes } = await openStory(`M(m1,-,"gone/model")\nU(u1,m1,"hi")`);
  const before = bytes();
  expect((await session.buildContext()).model).toEqual({ provider: "gone", modelId: "model" });
  await session.close();
  expect(bytes()).toEqual(before);
});

test("TP-06 a call that waits when the session is closed has its result when it is opened again", async () => {
  const { session, reopened } = await openStory(`U(u1,-,"go")\nC(c1,u1,k1,k2)`);
  await session.close();
  const again = await reopened();
  const before = (await again.buildContext()).messages;
  await again.appendMessage({
    role: "toolResult",
    toolCallId: "k1",
    toolName: "sh",
    content: [{ type: "text", text: "ok" }],
    isError: false,
  });
  expect((await again.buildContext()).messages.slice(0, 2)).toEqual(before);
  expect((await again.buildContext()).messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "toolResult",
  ]);
});

test("TP-13 a hundred entries of one instant stay in the order they were appended", async () => {
  let ids = 0;
  const { session, reopened } = await newStory({ factory: { now: () => 0, newId: () => `e${1000 - ++ids}` } });
  const texts = Array.from({ length: 100 }, (_, index) => `t${index}`);
  for (const text of texts) await session.appendMessage(assistant(text));
  expect(textsOf(await (await reopened()).getEntries())).toEqual(texts);
});

test("SE-05 keys that name prototypes are data like any other", async () => {
  const data = JSON.parse(`{"lc":2,"__proto__":{"polluted":true},"constructor":{"prototype":{"p":1}}}`);
  const { session, reopened } = await newStory();
  const id = await session.appendCustomEntry("__proto__", data);
  await session.appendLabel(id, "__proto__");
  const stored = await (await reopened()).getEntry(id);
  expect(JSON.stringify((stored as { data?: unknown }).data)).toBe(JSON.stringify(data));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(await (await session.fork(id)).getLabel(id)).toBe("__proto__");
});
