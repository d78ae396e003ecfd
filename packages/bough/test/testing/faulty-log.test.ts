import { expect, test } from "vitest";
import type { SessionHeader } from "../../src/entry/header.ts";
import { asyncLog } from "../../src/session/async-log.ts";
import type { EntryLog } from "../../src/session/entry-log.ts";
import { MemoryLog, MemoryRecords } from "../../src/storage/memory/index.ts";
import { FaultyLog, type LogFault, logConformance } from "../../src/testing/index.ts";
import { chain } from "../../src/testing/log-case.ts";

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/",
};

function faulty(...faults: LogFault[]) {
  const records = new MemoryRecords(header);
  return { records, log: new FaultyLog(asyncLog(new MemoryLog(records)), faults) };
}

logConformance(
  { test },
  {
    name: "a log without faults",
    async create(header) {
      const records = new MemoryRecords(header);
      const open = () => new FaultyLog(asyncLog(new MemoryLog(records)), []);
      return {
        log: open(),
        open: async () => open(),
        stored: async () => records.from(0),
        remove: async () => records.delete(),
      };
    },
  },
);

test("a refused append stores nothing, the next one works", async () => {
  const { log, records } = faulty({ kind: "refused", verb: "append", nth: 2 });
  await log.append([chain(["a"])]);
  await expect(log.append([chain(["b"])])).rejects.toMatchObject({
    code: "storage_io",
    details: { outcome: "not_written" },
  });
  await log.append([chain(["c"])]);
  expect(records.from(0).map((entry) => entry.id)).toEqual(["a", "c"]);
});

test("a sticky fault goes on", async () => {
  const { log } = faulty({ kind: "refused", verb: "changes", nth: 2, sticky: true });
  await log.changes();
  for (let call = 0; call < 3; call++) await expect(log.changes()).rejects.toMatchObject({ code: "storage_io" });
});

test("a short write keeps what came before it and attempts nothing after it", async () => {
  const { log, records } = faulty({ kind: "short_write", nth: 2, stored: 1 });
  const { outcomes, change } = await log.append([chain(["a"]), chain(["b", "c"]), chain(["d"])]);
  expect(outcomes).toMatchObject([{ status: "stored" }, { status: "failed", stored: 1 }]);
  expect(change.heads.map((head) => head.id)).toEqual(["a", "b"]);
  expect(records.size).toBe(2);
});

test("a torn write is reported with what was found", async () => {
  const { log } = faulty({ kind: "torn_write", nth: 1, stored: 0 });
  const { outcomes, change } = await log.append([chain(["a"])]);
  expect(outcomes).toMatchObject([{ status: "failed", stored: 0 }]);
  expect(change).toMatchObject({ heads: [], diagnostics: [{ code: "torn_tail" }] });
});

test("an unconfirmed batch is there and its outcome unknown", async () => {
  const { log, records } = faulty({ kind: "unconfirmed", nth: 1 });
  const { outcomes } = await log.append([chain(["a", "b"])]);
  expect(outcomes).toMatchObject([{ status: "failed", error: { details: { outcome: "unknown" } } }]);
  expect(records.size).toBe(2);
});

test("a failed sync says that nobody knows", async () => {
  const { log } = faulty({ kind: "unsynced", nth: 1 });
  await expect(log.sync()).rejects.toMatchObject({ code: "storage_io", details: { outcome: "unknown" } });
  await log.sync();
});

test("what a log can do besides, it can do behind faults", async () => {
  const log = asyncLog(new MemoryLog(new MemoryRecords(header)));
  const uses: unknown[] = [];
  const able: EntryLog = {
    ...log,
    header,
    read: async (positions, use) => {
      uses.push(use);
      return await log.read(positions, use);
    },
    storedLines: async () => [Buffer.from("line\n")],
    readBlobs: async (digests) => new Map(digests.map((digest) => [digest, "AAAA"])),
  };
  const behind = new FaultyLog(able, []);
  await behind.read([], "shape");
  expect(uses).toEqual(["shape"]);
  expect(await behind.storedLines?.([])).toEqual([Buffer.from("line\n")]);
  expect(await behind.readBlobs?.(["d"])).toEqual(new Map([["d", "AAAA"]]));
  const { storedLines: _, readBlobs: __, ...plain } = able;
  const unable = new FaultyLog(plain, []);
  expect([unable.storedLines, unable.readBlobs]).toEqual([undefined, undefined]);
});
