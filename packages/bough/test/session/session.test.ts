import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assistant, isBoughError, Session, SessionHost, SessionStorage, user } from "../../src/index.ts";
import { JsonlLog, JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { MemoryRepo, MemoryStorage } from "../../src/storage/memory/index.ts";
import { longSession } from "../support/counted-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const text = (message: unknown) => JSON.stringify(message);

test("appends made without waiting form one chain in call order", async () => {
  const session = new Session(new MemoryStorage());
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => session.appendMessage(user(`t${index}`))));
  const path = await session.getBranch();
  expect(path.map((entry) => entry.id)).toEqual(ids);
  expect(session.leafId).toBe(ids.at(-1));
});

test("a refused append leaves the chain of the others whole", async () => {
  const session = new Session(new MemoryStorage());
  const results = await Promise.allSettled([
    session.appendMessage(user("one")),
    session.appendContextEdit("nowhere", null),
    session.appendMessage(user("two")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const path = await session.getBranch();
  expect(path).toHaveLength(2);
});

test("what stands at the beginning of a long session can be edited", async () => {
  const session = new Session(await JsonlStorage.open(longSession(20_000).path));
  const edit = await session.appendContextEdit("h3", null);
  expect(await session.getEntry(edit)).toMatchObject({ type: "context_edit", targetId: "h3", parentId: "a9" });
  await session.close();
});

test("a message with a damaged body is no place and can't be edited, also where only its front was read", async () => {
  const { path } = longSession(200);
  const text = readFileSync(path, "utf8");
  const body = text.indexOf('"message":{', text.indexOf('"id":"h3"'));
  writeFileSync(
    path,
    `${text.slice(0, body)}"message":{"role":"user","content":}}${text.slice(text.indexOf("\n", body))}`,
  );
  const endSizes = { first: 1000, most: 3000, near: 0 };
  const log = JsonlLog.open(path, { durability: "process", endSizes });
  const session = new Session(new SessionStorage(SessionHost.openSync(log)));
  expect(session.at("h4").leafId).toBe("h4");
  expect(() => session.at("h3")).toThrow(expect.toSatisfy((error) => isBoughError(error, "not_found")));
  await expect(session.appendContextEdit("h3", null)).rejects.toSatisfy((error) =>
    isBoughError(error, "invalid_entry"),
  );
  expect(await session.appendContextEdit("h4", null)).toBe(session.leafId);
  await session.close();
});

test("moves, branches, labels and names", async () => {
  const session = new Session(new MemoryStorage());
  const u1 = await session.appendMessage(user("a"));
  const a1 = await session.appendMessage(assistant("b"));
  const u2 = await session.appendMessage(user("c"));
  const label = await session.appendLabel(u1, " start ");
  await session.appendSessionName("my\nname ");
  expect(session.leafId).toBe(u2);
  expect(await session.getLabel(u1)).toBe("start");
  expect(await session.getSessionName()).toBe("my name");
  expect(await session.moveTo(a1)).toBeUndefined();
  const u3 = await session.appendMessage(user("d"));
  const continued = (await session.getChildren(a1)).filter(({ type }) => type === "message");
  expect(continued.map(({ id }) => id)).toEqual([u2, u3]);
  const summary = await session.moveTo(label, { summary: "left d" });
  expect(await session.getEntry(summary as string)).toMatchObject({ parentId: u2, fromId: u3 });
  expect((await session.branches()).map(({ leafId }) => leafId)).toEqual([u3, summary]);
  const context = await session.buildContext();
  expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "branchSummary"]);
});

test("attempts beside each other keep their own leaves", async () => {
  const session = new Session(new MemoryStorage());
  const u1 = await session.appendMessage(user("a"));
  const one = session.at(u1);
  const two = session.at(u1);
  const [a, b] = await Promise.all([one.appendMessage(assistant("1")), two.appendMessage(assistant("2"))]);
  expect(one.leafId).toBe(a);
  expect(two.leafId).toBe(b);
  expect(session.leafId).toBe(u1);
  const c = await session.appendMessage(assistant("3"));
  expect((await session.getChildren(u1)).map(({ id }) => id)).toEqual([a, b, c]);
});

test("a fork has the path, its labels and the name, and leaves its source alone", async () => {
  const repo = new MemoryRepo();
  const session = await repo.create({ cwd: "/w" });
  const u1 = await session.appendMessage(user("a"));
  const a1 = await session.appendMessage(assistant("b"));
  await session.appendLabel(u1, "start");
  await session.appendSessionName("n");
  const u2 = await session.appendMessage(user("secret"));
  await session.appendLabel(u2, "end");
  const fork = await session.fork(a1);
  expect(fork.leafId).toBe(a1);
  expect((await fork.getEntries()).map(({ type }) => type)).toEqual(["message", "message", "label", "session_info"]);
  expect(fork.header).toMatchObject({ parentSessionId: session.id, inheritedEntries: 2, cwd: "/w" });
  expect(await fork.getLabel(u1)).toBe("start");
  expect(text(await fork.getEntries())).not.toContain("secret");
  const before = await session.fork(u2, { position: "before" });
  expect(before.leafId).toBe(a1);
  const whole = await session.fork();
  expect((await whole.getBranch()).map(({ id }) => id)).toEqual([u1, a1, u2]);
  expect(await repo.list()).toHaveLength(4);
});

test("a batch chains its children, hangs operations where the chain stands, and uses ids that were set aside", async () => {
  const session = new Session(new MemoryStorage());
  const reserved = await session.storage.createEntryId();
  const ids = await session.appendBatch([
    { kind: "child", draft: { type: "custom_message", customType: "note", content: "a", display: true } },
    { kind: "operation", name: "op_start", data: { result: reserved } },
    { kind: "child", draft: { type: "custom_message", customType: "note", content: "b", display: true }, id: reserved },
    { kind: "operation", name: "op_end" },
  ]);
  const [first, start, second, end] = await Promise.all(ids.map((id) => session.getEntry(id)));
  expect(second?.id).toBe(reserved);
  expect(session.leafId).toBe(reserved);
  expect(start).toMatchObject({ type: "custom", customType: "bough.op_start", parentId: first?.id });
  expect(end).toMatchObject({ customType: "bough.op_end", parentId: reserved });
  expect(second?.parentId).toBe(first?.id);
  expect((await session.getBranch()).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  const again = session.appendBatch([{ kind: "operation", name: "op_end", id: reserved }]);
  await expect(again).rejects.toMatchObject({ code: "already_exists" });
  const mark = session.appendBatch([{ kind: "child", draft: { type: "label", targetId: reserved, label: "x" } }]);
  await expect(mark).rejects.toMatchObject({ code: "invalid_entry" });
  await expect(session.appendCustomEntry("bough.op_end")).rejects.toMatchObject({ code: "invalid_entry" });
});

test("heads come back from the last entry to the first, however much of the session was read before", async () => {
  const session = new Session(new MemoryStorage());
  const ids = [await session.appendMessage(user("a")), await session.appendMessage(assistant("b"))];
  ids.push(await session.appendLabel(ids[0] as string, "start"));
  const backwards = () => Array.from(session.headsBackwards(), ({ id }) => id);
  expect(backwards()).toEqual(ids.toReversed());
  await session.readTree();
  ids.push(await session.appendMessage(user("c")));
  expect(backwards()).toEqual(ids.toReversed());
});

test("what a path from the last compaction holds is what its context is made of, whatever a tail is stored as", async () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const base = { timestamp: "2026-01-01T00:00:00.000Z" };
  const records = [
    { type: "session", version: 3, id: "s1", ...base, cwd: "/w" },
    { type: "message", id: "a", parentId: null, ...base, message: user("a") },
    { type: "message", id: "b", parentId: "a", ...base, message: user("b") },
    { type: "compaction", id: "c", parentId: "b", ...base, summary: "s", firstKeptEntryId: "b", tokensBefore: 1 },
  ];
  for (const retainedTail of [{}, "tail", 0, null]) {
    const lines = records.map((record) =>
      JSON.stringify(record.type === "compaction" ? { ...record, retainedTail } : record),
    );
    writeFileSync(path, `${lines.join("\n")}\n`);
    const session = new Session(await JsonlStorage.open(path));
    const ids = async (entries: Promise<readonly { readonly id: string }[]>) => (await entries).map(({ id }) => id);
    expect(await ids(session.buildContextEntries())).toEqual(["c", "b"]);
    expect(await ids(session.getPathToRootOrCompaction("c"))).toEqual(["b", "c"]);
    await session.storage.close();
  }
});
