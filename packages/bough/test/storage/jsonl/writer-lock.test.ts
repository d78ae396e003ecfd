import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { isOnNetworkVolume } from "../../../src/storage/files/network-volume.ts";
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

test.skipIf(process.platform !== "linux")("a volume of several machines is known by its type", () => {
  const folder = temporaryFolder();
  const statfsSync = () => ({ ...nodeFileSystem.statfsSync(folder), type: 0x6969 });
  expect(isOnNetworkVolume(folder, { ...nodeFileSystem, statfsSync } as unknown as typeof nodeFileSystem)).toBe(true);
});
