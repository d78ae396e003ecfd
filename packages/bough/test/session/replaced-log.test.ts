import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asyncLog, type Session, user as said } from "../../src/index.ts";
import { JsonlLog, JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { header, user } from "../storage/jsonl/records.ts";
import { sessionOn } from "../support/session-on.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const line = (id: string, parentId: string | null) => `${user(id, parentId).json}\n`;
const base = `${JSON.stringify(header)}\n${line("a", null)}${line("b", "a")}${line("c", "b")}`;

function sessionFile(): string {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, base);
  return path;
}

async function openAt(path: string): Promise<Session> {
  return await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process" })));
}

function replace(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

const without = (path: string, id: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((each) => !each.includes(`"id":"${id}"`))
    .join("\n");

const idsOf = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test("who stands where a replacement has nothing appends nothing until he has moved", async () => {
  const path = sessionFile();
  const session = await openAt(path);
  const stale = base.slice(0, base.indexOf(line("c", "b")));
  replace(path, stale);
  const both = await Promise.allSettled([session.appendMessage(said("one")), session.appendMessage(said("two"))]);
  expect(both).toMatchObject([0, 1].map(() => ({ status: "rejected", reason: { code: "unknown_parent" } })));
  await expect(session.appendMessage(said("three"))).rejects.toMatchObject({ code: "unknown_parent" });
  expect(readFileSync(path, "utf8")).toBe(stale);
  await session.refresh({ follow: true });
  const [one, two] = await Promise.all([session.appendMessage(said("one")), session.appendMessage(said("two"))]);
  expect(idsOf(await session.getBranch())).toEqual(["a", "b", one, two]);
  await session.close();
});

test("what others wrote is reported if it is there, and once", async () => {
  const path = sessionFile();
  const session = await openAt(path);
  appendFileSync(path, line("stays", "c") + line("taken", "stays"));
  const label = await session.appendLabel("a", "seen");
  replace(path, without(path, "taken"));
  const { entries } = await session.refresh();
  expect(idsOf(entries)).toEqual(["stays"]);
  expect(entries[0]).toEqual(user("stays", "c").entry);
  expect(await session.refresh()).toMatchObject({ entries: [] });
  expect(await session.getEntry(label)).toMatchObject({ targetId: "a" });
  await session.close();
});

test("who watches hears of what is there, once, whatever becomes of the file", async () => {
  const path = sessionFile();
  const session = await openAt(path);
  const watched = session.watch({ interval: 5 })[Symbol.asyncIterator]();
  const first = watched.next();
  await session.refresh();
  appendFileSync(path, line("first", "c"));
  expect((await first).value).toMatchObject({ id: "first" });
  appendFileSync(path, line("taken", "first"));
  await session.refresh();
  replace(path, without(path, "taken"));
  await session.refresh();
  const own = await session.appendMessage(said("own"));
  expect((await watched.next()).value).toMatchObject({ id: own });
  replace(path, base + line("first", "c"));
  appendFileSync(path, line("first", "c"));
  await session.refresh();
  appendFileSync(path, line("last", "first"));
  expect((await watched.next()).value).toMatchObject({ id: "last" });
  await session.close();
});

test("an id that another process gave away meanwhile is taken, what it wrote can be named", async () => {
  const path = sessionFile();
  const [one, two] = [await JsonlStorage.open(path), await JsonlStorage.open(path)];
  const entry = (id: string, parentId: string, text: string) => user(id, parentId, text).entry;
  await one.appendEntry(entry("x", "c", "one's"));
  await expect(two.appendEntry(entry("x", "c", "two's"))).rejects.toMatchObject({ code: "already_exists" });
  await one.appendEntry(entry("y", "x", "one's"));
  expect(await two.appendEntry(entry("z", "y", "two's"))).toBe("z");
  const session = await openAt(path);
  await one.appendEntry(entry("late", "z", "one's"));
  await session.appendLabel("late", "named");
  expect(await session.getLabel("late")).toBe("named");
  await one.appendEntry(entry("later", "late", "one's"));
  await session.moveTo("later");
  expect(session.leafId).toBe("later");
  expect(await session.getEntry("x")).toEqual(entry("x", "c", "one's"));
  await Promise.all([one.cleanup(), two.cleanup(), session.close()]);
});

test("whether a fork can end at a damaged entry doesn't depend on what was read before", async () => {
  const path = join(temporaryFolder(), "session.jsonl");
  const damaged = `${user("b", "a").json.slice(0, -12)}}\n`;
  const rest = Array.from({ length: 800 }, (_, index) => line(`x${index}`, index === 0 ? "b" : `x${index - 1}`));
  writeFileSync(path, [JSON.stringify(header), "\n", line("a", null), damaged, ...rest].join(""));
  for (const isChecked of [false, true]) {
    const storage = await JsonlStorage.open(path);
    if (isChecked) await storage.getSessionStats();
    await expect(storage.fork("b")).rejects.toMatchObject({ code: "invalid_fork_target" });
    await storage.cleanup();
  }
});
