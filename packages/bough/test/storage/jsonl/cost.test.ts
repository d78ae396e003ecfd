import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { CallCounter } from "./faulty-file-system.ts";
import { header, idsOf, opened, user } from "./records.ts";

function counted(records = [user("u1")]): { log: JsonlLog; counter: CallCounter } {
  const path = join(temporaryFolder(), "s.jsonl");
  JsonlLog.create(path, header, records, { durability: "turn" }).close();
  const counter = new CallCounter();
  const { log } = opened(path, { durability: "turn", fileSystem: counter.fileSystem });
  return { log, counter };
}

test("opening and reading opens nothing for writing and writes nothing", () => {
  const { log, counter } = counted();
  log.changes();
  log.read([log.append([]).change.heads[0]?.position ?? JSON.stringify(header).length + 1]);
  expect(new Set(counter.calls)).toEqual(new Set(["realpathSync", "openSync", "fstatSync", "readSync", "statSync"]));
  expect(counter.calls.filter((name) => name === "openSync")).toHaveLength(1);
  log.close();
});

test("an append is one write and one stat once the file is open", () => {
  const { log, counter } = counted();
  expect(counter.during(() => log.append([[user("u2", "u1")]])).calls).toEqual([
    "statfsSync",
    "openSync",
    "fstatSync",
    "writeSync",
    "statSync",
  ]);
  expect(counter.during(() => log.append([[user("u3", "u2")]]))).toEqual({
    calls: ["writeSync", "statSync"],
    bytesRead: 0,
  });
  log.close();
});

test("batches of many and in flight share one write up to 64 KiB, and one stat", () => {
  const { log, counter } = counted();
  log.append([[user("u2", "u1")]]);
  const batch = Array.from({ length: 50 }, (_, index) => user(`b${index}`));
  expect(counter.during(() => log.append([batch])).calls).toEqual(["writeSync", "statSync"]);
  const flight = Array.from({ length: 32 }, (_, index) => [user(`f${index}`)]);
  expect(counter.during(() => log.append(flight)).calls).toEqual(["writeSync", "statSync"]);
  const large = Array.from({ length: 6 }, (_, index) => [user(`l${index}`, "u1", "x".repeat(16_000))]);
  expect(counter.during(() => log.append(large)).calls).toEqual(["writeSync", "writeSync", "writeSync", "statSync"]);
  log.close();
});

test("looking for changes costs one stat, and reads the new bytes and how the file ended before", () => {
  const { log, counter } = counted(Array.from({ length: 1000 }, (_, index) => user(`u${index}`)));
  expect(counter.during(() => log.changes())).toEqual({ calls: ["statSync"], bytesRead: 0 });
  const line = `${user("new", "u1").json}\n`;
  appendFileSync(log.path, line);
  const looked = counter.during(() => expect(idsOf(log.changes().heads)).toEqual(["new"]));
  expect(looked).toEqual({ calls: ["statSync", "readSync"], bytesRead: line.length + 4096 });
  log.close();
});

test("who has appended looks once before a sync and before closing, and nobody else does", () => {
  const { log, counter } = counted([user("u1")]);
  const reader = opened(log.path, { fileSystem: counter.fileSystem }).log;
  log.append([[user("u2", "u1")]]);
  expect(counter.during(() => log.syncNow())).toEqual({ calls: ["statSync", "fdatasyncSync"], bytesRead: 0 });
  expect(counter.during(() => log.syncNow())).toEqual({ calls: ["statSync"], bytesRead: 0 });
  expect(counter.during(() => log.close()).calls).toEqual(["statSync", "closeSync", "closeSync"]);
  expect(counter.during(() => reader.close()).calls).toEqual(["closeSync"]);
});

test("neighbouring entries are read with one call, and again with none", () => {
  const { log, counter } = counted(Array.from({ length: 100 }, (_, index) => user(`u${index}`)));
  const fresh = opened(log.path, { fileSystem: counter.fileSystem });
  const positions = fresh.first.heads.map((head) => head.position);
  expect(counter.during(() => fresh.log.read(positions)).calls).toEqual(["readSync"]);
  expect(counter.during(() => fresh.log.read(positions)).calls).toEqual([]);
  log.close();
  fresh.log.close();
});

test("appends in flight share syncs, and what is on disk is not synced again", async () => {
  const { log, counter } = counted();
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let index = 0; index < 10; index++) {
      log.append([[user(`w${writer}-${index}`)]]);
      await log.sync();
    }
  });
  await Promise.all(writers);
  expect(counter.calls.filter((name) => name === "fdatasync").length).toBe(10);
  await log.sync();
  log.syncNow();
  expect(counter.calls.filter((name) => name.startsWith("fdatasync")).length).toBe(10);
  log.close();
});

test("at durability process creating a session syncs nothing", () => {
  const counter = new CallCounter();
  const path = join(temporaryFolder(), "s.jsonl");
  JsonlLog.create(path, header, [], { durability: "process", fileSystem: counter.fileSystem }).close();
  expect(counter.calls.filter((name) => name.includes("sync") && !name.endsWith("Sync"))).toEqual([]);
  expect(counter.calls).not.toContain("fdatasyncSync");
  expect(counter.calls).not.toContain("fsyncSync");
});

test("creating a session syncs the file, then its name, and the parents of new folders", () => {
  const counter = new CallCounter();
  const path = join(temporaryFolder(), "new", "s.jsonl");
  JsonlLog.create(path, header, [], { durability: "turn", fileSystem: counter.fileSystem }).close();
  const steps = counter.calls.filter((name) => /^(mkdir|fsync|fdatasync|write|fchmod|link|unlink|rename)/.test(name));
  expect(steps).toEqual([
    "mkdirSync",
    "fsyncSync",
    "fchmodSync",
    "writeSync",
    "fdatasyncSync",
    "linkSync",
    "unlinkSync",
    "fsyncSync",
  ]);
});
