import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serialise } from "../../../src/format/encode.ts";
import { newHeader } from "../../../src/session/new-header.ts";
import { nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { isOnNetworkVolume } from "../../../src/storage/files/network-volume.ts";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { WriterLock } from "../../../src/storage/jsonl/writer-lock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const busy = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
};

test("a lock has one owner, who is named to the others, and leaves nothing behind", () => {
  const folder = temporaryFolder();
  const file = join(folder, "s.jsonl");
  const lock = WriterLock.take(file, "s", nodeFileSystem);
  const holder = `process ${process.pid} on ${hostname()}`;
  expect(busy(() => WriterLock.take(file, "s", nodeFileSystem))).toMatchObject({ code: "busy", details: { holder } });
  lock.assertHeld();
  lock.release();
  lock.release();
  WriterLock.take(file, "s", nodeFileSystem).release();
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that nobody renews is taken over, and its owner is told", () => {
  const folder = temporaryFolder();
  const file = join(folder, "s.jsonl");
  const stopped = WriterLock.take(file, "s", nodeFileSystem);
  const past = new Date(Date.now() - 120_000);
  utimesSync(`${file}.lock`, past, past);
  const next = WriterLock.take(file, "s", nodeFileSystem);
  next.assertHeld();
  expect(busy(() => stopped.assertHeld())).toMatchObject({ code: "busy" });
  stopped.release();
  next.assertHeld();
  next.release();
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that holds no owner is nobody's", () => {
  const file = join(temporaryFolder(), "s.jsonl");
  writeFileSync(`${file}.lock`, "");
  WriterLock.take(file, "s", nodeFileSystem).release();
});

describe.skipIf(process.platform !== "linux")("on a volume of several machines", () => {
  const statfsSync = () => ({ ...nodeFileSystem.statfsSync("/"), type: 0x6969 });
  const remote = { ...nodeFileSystem, statfsSync } as unknown as typeof nodeFileSystem;

  test("the volume is known by its type", () => {
    expect(isOnNetworkVolume("/", remote)).toBe(true);
  });

  test("the first to append is the only writer until it closes; reading needs no lock", () => {
    const path = join(temporaryFolder(), "s.jsonl");
    const options = { durability: "process", fileSystem: remote } as const;
    const one = JsonlLog.create(path, newHeader({}), [], options);
    const two = JsonlLog.open(path, options);
    const record = serialise({ type: "session_info", id: "n1", parentId: null, timestamp: "", name: "x" });
    expect(one.append([[record]]).outcomes).toEqual([{ status: "stored" }]);
    expect(two.changes().heads).toHaveLength(1);
    expect(busy(() => two.append([[record]]))).toMatchObject({ code: "busy" });
    one.close();
    expect(two.append([[serialise({ ...record.entry, id: "n2" })]]).outcomes).toEqual([{ status: "stored" }]);
    two.close();
    expect(readdirSync(join(path, ".."))).toEqual(["s.jsonl"]);
  });
});
