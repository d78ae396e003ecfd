import { expect, test } from "vitest";
import { assistant, asyncLog, type EntryLog, type Session, toolResult, user } from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { MemoryLog, MemoryRecords } from "../../src/storage/memory/index.ts";
import { FaultyLog, type LogFault } from "../../src/testing/index.ts";
import { sessionOn } from "../support/session-on.ts";

const recordsOf = () => new MemoryRecords(newHeader({ cwd: "/w" }));

const faulty = (records: MemoryRecords, ...faults: LogFault[]) =>
  sessionOn(new FaultyLog(asyncLog(new MemoryLog(records)), faults));

test("an append that was refused leaves the next ones a chain without it", async () => {
  const records = recordsOf();
  const session = await faulty(records, { kind: "short_write", nth: 2, stored: 0 });
  const results = await Promise.allSettled(["a", "b", "c", "d"].map((text) => session.appendMessage(user(text))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "storage_io" } });
  const path = await session.getBranch();
  expect(path.map((entry) => entry.type === "message" && "content" in entry.message && entry.message.content)).toEqual([
    "a",
    "c",
    "d",
  ]);
  expect(session.diagnostics).toEqual([]);
  expect((await (await sessionOn(asyncLog(new MemoryLog(records)))).getBranch()).length).toBe(3);
});

test("what a failed batch left behind can be read and is on nobody's path", async () => {
  const session = await faulty(recordsOf(), { kind: "short_write", nth: 1, stored: 1 });
  await expect(session.appendMessages([user("a"), assistant("b")])).rejects.toMatchObject({ code: "storage_io" });
  expect(session.leafId).toBeNull();
  expect(await session.getEntries()).toHaveLength(1);
  await session.appendMessage(user("c"));
  expect(await session.getBranch()).toHaveLength(1);
});

test("a log that refuses everything fails each append and lets the next one try again", async () => {
  const session = await faulty(recordsOf(), { kind: "refused", verb: "append", nth: 1 });
  const [one, two] = await Promise.allSettled([session.appendMessage(user("a")), session.appendMessage(user("b"))]);
  expect([one.status, two.status]).toEqual(["rejected", "rejected"]);
  await session.appendMessage(user("c"));
  expect(await session.getBranch()).toHaveLength(1);
});

test("entries that are not synced yet are parents and can't be read", async () => {
  const records = recordsOf();
  let release: (() => void) | undefined;
  const log = { ...asyncLog(new MemoryLog(records)), header: records.header };
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const session = await sessionOn({ ...log, sync: () => gate }, "turn");
  const pending = [session.appendMessage(user("a")), session.appendMessage(toolResult("k", "sh", "b"))];
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(records.size).toBe(2);
  expect(await session.getEntries()).toEqual([]);
  expect(session.leafId).toBeNull();
  release?.();
  const ids = await Promise.all(pending);
  expect((await session.getBranch()).map(({ id }) => id)).toEqual(ids);
});

test("a failed sync rejects what it was for, and the session goes on", async () => {
  const session = await sessionOn(
    new FaultyLog(asyncLog(new MemoryLog(recordsOf())), [{ kind: "unsynced", nth: 1 }]),
    "turn",
  );
  await expect(session.appendMessage(user("a"))).rejects.toMatchObject({
    code: "storage_io",
    details: { outcome: "unknown" },
  });
  expect(session.leafId).toBeNull();
  const id = await session.appendMessage(user("b"));
  expect(session.leafId).toBe(id);
  expect(await session.getBranch()).toHaveLength(2);
});

test("group commit: appends in flight share one sync", async () => {
  const records = recordsOf();
  const log = asyncLog(new MemoryLog(records));
  let syncs = 0;
  const counting: EntryLog = {
    header: records.header,
    changes: () => log.changes(),
    read: (positions) => log.read(positions),
    append: (batches) => log.append(batches),
    sync: async () => void syncs++,
    close: () => log.close(),
  };
  const session = await sessionOn(counting, "power");
  await Promise.all(Array.from({ length: 32 }, () => session.appendMessage(user("x"))));
  expect(syncs).toBe(1);
});

test("two processes that continue one leaf make two branches, and each keeps its leaf", async () => {
  const records = recordsOf();
  const a = await sessionOn(asyncLog(new MemoryLog(records)));
  const a2 = await a.appendMessage(user("a2"));
  const b = await sessionOn(asyncLog(new MemoryLog(records)));
  const one = await a.appendMessage(user("one"));
  const two = await b.appendMessage(user("two"));
  expect(a.leafId).toBe(one);
  expect(b.leafId).toBe(two);
  const refreshed = await a.refresh();
  expect(refreshed.entries.map(({ id }) => id)).toEqual([two]);
  expect(refreshed.leafId).toBe(one);
  expect((await a.getChildren(a2)).map(({ id }) => id)).toEqual([one, two]);
  expect((await b.refresh({ follow: true })).entries.map(({ id }) => id)).toEqual([one]);
  expect(b.leafId).toBe(two);
  expect((await a.refresh({ follow: true })).leafId).toBe(two);
});

test("a mark of a writer who was behind states the leaf of the file again", async () => {
  const records = recordsOf();
  const a = await sessionOn(asyncLog(new MemoryLog(records)));
  const a2 = await a.appendMessage(user("a2"));
  const b = await sessionOn(asyncLog(new MemoryLog(records)));
  const u3 = await a.appendMessage(user("u3"));
  await b.appendLabel(a2, "here");
  const late = await sessionOn(asyncLog(new MemoryLog(records)));
  expect(late.leafId).toBe(u3);
  expect(b.leafId).toBe(a2);
  const [label, leaf] = (await late.getEntries()).slice(-2);
  expect(label).toMatchObject({ type: "label", parentId: a2 });
  expect(leaf).toMatchObject({ type: "leaf", parentId: u3, targetId: u3 });
});

test("watch yields later entries of anybody once, in log order, and ends on abort", async () => {
  const records = recordsOf();
  const a = await sessionOn(asyncLog(new MemoryLog(records)));
  await a.appendMessage(user("before"));
  const b = await sessionOn(asyncLog(new MemoryLog(records)));
  const abort = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const entry of a.watch({ signal: abort.signal, interval: 5 })) {
      seen.push(entry.id);
      if (seen.length === 5) abort.abort(new Error("enough"));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const ids = [await a.appendMessage(user("1")), await b.appendMessage(user("2"))];
  ids.push(await a.appendLabel(ids[0] as string, "x"), await a.appendMessage(user("3")));
  await expect(watching).rejects.toThrow("enough");
  const [restated] = await a.findEntries("leaf");
  expect(seen).toEqual([...ids.slice(0, 3), restated?.id, ids[3]]);
});

test("AP-02 everything after close is refused, and closing again is fine", async () => {
  const session = await sessionOn(asyncLog(new MemoryLog(recordsOf())));
  await session.close();
  await expect(session.appendMessages([])).rejects.toMatchObject({ code: "closed" });
  await expect(session.appendMessage(user("x"))).rejects.toMatchObject({ code: "closed" });
  await expect(session.buildContext()).rejects.toMatchObject({ code: "closed" });
  await expect(session.storage.appendEntries([])).rejects.toMatchObject({ code: "closed" });
  await expect(session.refresh()).rejects.toMatchObject({ code: "closed" });
  await session.close();
});

test("watch ends when the session is closed or deleted, and long waits leave no listeners behind", async () => {
  const records = recordsOf();
  const [closed, deleted] = [
    await sessionOn(asyncLog(new MemoryLog(records))),
    await sessionOn(asyncLog(new MemoryLog(records))),
  ];
  const signal = new AbortController().signal;
  const warnings: unknown[] = [];
  const warn = (warning: unknown) => warnings.push(warning);
  process.on("warning", warn);
  const seenBy = async (session: Session) => {
    const seen: string[] = [];
    for await (const { id } of session.watch({ signal, interval: 1 })) seen.push(id);
    return seen;
  };
  const watching = [seenBy(closed), seenBy(deleted)];
  await new Promise((resolve) => setTimeout(resolve, 60));
  const id = await closed.appendMessage(user("a"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await closed.close();
  records.delete();
  expect(await Promise.all(watching)).toEqual([[id], [id]]);
  process.off("warning", warn);
  expect(warnings).toEqual([]);
});

test("a leaf that is owed and can't be written fails nobody, and is written with the next append", async () => {
  const records = recordsOf();
  const a = await sessionOn(asyncLog(new MemoryLog(records)));
  const a2 = await a.appendMessage(user("a2"));
  const b = await faulty(records, { kind: "refused", verb: "append", nth: 2 });
  const u3 = await a.appendMessage(user("u3"));
  await b.appendLabel(a2, "here");
  const leafNow = async () => (await sessionOn(asyncLog(new MemoryLog(records)))).leafId;
  expect(await leafNow()).toBe(a2);
  await b.appendSessionName("later");
  expect(await leafNow()).toBe(u3);
});

test("what others wrote is read from where it is after the log was replaced", async () => {
  const records = recordsOf();
  const a = await sessionOn(asyncLog(new MemoryLog(records)));
  const b = await sessionOn(asyncLog(new MemoryLog(records)));
  const first = await b.appendMessage(user("first"));
  const second = await b.appendMessage(user("second"));
  await a.appendMessage(user("mine"));
  records.replace(records.from(0).toReversed());
  await a.appendMessage(user("mine too"));
  expect((await a.refresh()).entries.map(({ id }) => id)).toEqual([first, second]);
});
