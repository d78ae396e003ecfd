import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { expand } from "../../src/testing/index.ts";
import { jsonlRepo, newStory, openFile, openStory, textsOf, told } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const two = Buffer.from(expand(`H()\nU(u1,-,"hi")\nA(a1,u1,"grüß dich 🌳")`));
const lastLine = two.lastIndexOf("\n", two.length - 2) + 1;

test("CR-01 pi-29 omp-74 a file cut at any byte of its last record opens with the rest, and the next append stands alone", async () => {
  const folder = temporaryFolder();
  const repo = jsonlRepo(folder);
  for (let length = lastLine + 1; length < two.length - 1; length++) {
    const path = join(folder, `cut-${length}.jsonl`);
    writeFileSync(path, two.subarray(0, length));
    const session = await repo.open(path);
    expect(await told(session)).toEqual(["hi"]);
    const torn = session.diagnostics.filter((diagnostic) => diagnostic.code === "torn_tail");
    expect(torn).toMatchObject([{ byteStart: lastLine }]);
    await session.appendMessage(assistant("again"));
    await session.close();
    const again = await jsonlRepo(folder).open(path);
    expect(await told(again)).toEqual(["hi", "again"]);
    expect((await again.getLeafEntry())?.parentId).toBe("u1");
  }
});

test("pi-30 a last line that only lacks its newline is a whole record, and the next append stands alone", async () => {
  const { session, reopened } = await openFile(two.subarray(0, -1));
  expect(session.leafId).toBe("a1");
  await session.appendMessage(user("next"));
  expect(textsOf(await (await reopened()).getBranch())).toEqual(["hi", "grüß dich 🌳", "next"]);
});

test("CR-02 pi-32 omp-75 a bad line in the middle costs itself and is reported with its place", async () => {
  const [header, first, last] = expand(`H()\nU(u1,-,"one")\nA(a1,u1,"two")`).trimEnd().split("\n");
  const bad = `{"type":"custom","id":`;
  const { session } = await openFile(`${header}\n${first}\n${bad}\n${last}\n`);
  expect(await told(session)).toEqual(["one", "two"]);
  const byteStart = Buffer.byteLength(`${header}\n${first}\n`);
  expect(session.diagnostics).toMatchObject([
    { code: "malformed_line", byteStart, byteEnd: byteStart + bad.length + 1 },
  ]);
});

test("CR-06 what the user said is in the file when its append resolves", async () => {
  const { session, text } = await newStory();
  await session.appendMessage(user("a long prompt"));
  expect(text()).toContain("a long prompt");
});

test("CR-07 CR-08 omp-46 a fork has a file with one header when it is returned, and is the one that grows", async () => {
  const { session, text } = await openStory(`U(u1,-,"only a question")`);
  const before = text();
  const fork = await session.fork("u1");
  await fork.appendMessage(assistant("an answer"));
  const lines = (await import("node:fs"))
    .readFileSync(fork.storage.ref.location as string, "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(["session", "message", "message"]);
  expect(text()).toBe(before);
});

test("CR-08 a new session's file has one header and its entries in the order they were appended", async () => {
  const { session, text } = await newStory();
  const ids = [
    await session.appendCustomEntry("setup"),
    ...(await session.appendMessages([user("u"), assistant("a")])),
  ];
  const lines = text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.type)).toEqual(["session", "custom", "message", "message"]);
  expect(lines.slice(1).map((line) => line.id)).toEqual(ids);
});

test("CR-09 an append after move-aside and rename is in the file of that name", async () => {
  const { session, path, bytes, text } = await newStory();
  await session.appendMessage(user("one"));
  writeFileSync(`${path}.rewritten`, bytes());
  renameSync(path, `${path}.aside`);
  renameSync(`${path}.rewritten`, path);
  await session.appendMessage(assistant("two"));
  expect(text()).toContain("two");
});

test("CR-10 a file cut anywhere between a result and the move that follows it never has a leaf that isn't there", async () => {
  const whole = Buffer.from(expand(`H()\nU(u1,-,"go")\nC(c1,u1,k1)\nR(r1,c1,k1,"done")\nP(p1,r1,r1)\nU(u2,r1,"next")`));
  const folder = temporaryFolder();
  const repo = jsonlRepo(folder);
  for (let length = whole.indexOf("\n") + 1; length <= whole.length; length += 7) {
    const path = join(folder, `cut-${length}.jsonl`);
    writeFileSync(path, whole.subarray(0, length));
    const session = await repo.open(path);
    const leaf = session.leafId;
    if (leaf !== null) expect((await session.getBranch()).at(-1)?.id).toBe(leaf);
    else expect(await session.getEntries()).toEqual([]);
    await session.close();
  }
});
