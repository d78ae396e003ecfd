import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Session, user } from "../../src/index.ts";
import { JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { longSession } from "../support/counted-session.ts";

const openSession = async (path: string) => new Session(await JsonlStorage.open(path));
/** What takes several turns to be read. */
const longPath = () => longSession(40_000).path;

async function statsOf(path: string) {
  const session = await openSession(path);
  try {
    return await session.storage.getSessionStats();
  } finally {
    await session.close();
  }
}

test("a long read lets timers have their turn, so that a signal can end it", async () => {
  const session = await openSession(longPath());
  const stop = new AbortController();
  const heard: number[] = [];
  const enough = new Error("enough");
  setTimeout(() => stop.abort(enough), 0);
  const stats = session.storage.getSessionStats({ signal: stop.signal, onProgress: (done) => heard.push(done) });
  await expect(stats).rejects.toBe(enough);
  expect(heard.at(-1)).toBeLessThan(40_000);
  await session.close();
});

test("what is appended while statistics are counted is counted", async () => {
  const path = longPath();
  const session = await openSession(path);
  const stats = session.storage.getSessionStats();
  await new Promise(setImmediate);
  const appended = session.appendMessage(user("meanwhile"));
  const [counted] = await Promise.all([stats, appended]);
  expect(await session.storage.getSessionStats()).toEqual(await statsOf(path));
  expect(counted.entryCount).toBeGreaterThanOrEqual(40_011);
  await session.close();
});

test("several count at once, and each gets the same", async () => {
  const path = longPath();
  const session = await openSession(path);
  const both = await Promise.all([session.storage.getSessionStats(), session.storage.getSessionStats()]);
  expect(both).toEqual([await statsOf(path), await statsOf(path)]);
  await session.close();
});

test("where the file is exchanged meanwhile, what is there now is counted", async () => {
  const path = longPath();
  const session = await openSession(path);
  const stats = session.storage.getSessionStats();
  await new Promise(setImmediate);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const shorter = `${lines.slice(0, -5).join("\n")}\n`;
  writeFileSync(`${path}.new`, shorter);
  renameSync(`${path}.new`, path);
  await session.refresh();
  await stats;
  expect(await session.storage.getSessionStats()).toEqual(await statsOf(path));
  await session.close();
});
