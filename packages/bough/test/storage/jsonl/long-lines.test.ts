import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longestLine } from "../../../src/format/line-text.ts";
import { JsonlRepo } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header, user } from "./records.ts";

test("HS-02 a line that no string can hold is a damaged entry, to everybody who reads it", async () => {
  const root = temporaryFolder();
  const session = await new JsonlRepo({ root }).open(sessionIn(root, { hole: longestLine }));
  expect(await session.getEntry("b")).toMatchObject({ type: "damaged", id: "b", parentId: "a" });
  expect((await session.getBranch()).map(({ id, type }) => [id, type])).toEqual([
    ["a", "message"],
    ["b", "damaged"],
    ["c", "message"],
  ]);
  const { ok, entries, diagnostics } = await session.check();
  expect({ ok, entries, codes: diagnostics.map(({ code }) => code) }).toEqual({
    ok: false,
    entries: 3,
    codes: ["damaged_entry"],
  });
  expect((await session.getSessionStats()).messageCount).toBe(2);
  await session.close();
  expect((await new JsonlRepo({ root }).list()).map(({ id }) => id)).toEqual([header.id]);
});

test("what is wrong with a long line is found without holding it", async () => {
  const root = temporaryFolder();
  const session = await new JsonlRepo({ root }).open(sessionIn(root, { hole: 3 << 20 }));
  const { diagnostics } = await session.check();
  expect(diagnostics).toMatchObject([{ code: "damaged_entry", entryId: "b" }]);
  await session.close();
});

/** Three messages, the second with so many NULs in it, which take no room on the disk. */
function sessionIn(folder: string, { hole }: { readonly hole: number }): string {
  const path = join(folder, "session.jsonl");
  const [before, after] = user("b", "a", "|").json.split("|") as [string, string];
  const fd = openSync(path, "w");
  const front = `${JSON.stringify(header)}\n${user("a").json}\n${before}${"x".repeat(100_000)}`;
  writeSync(fd, front);
  writeSync(fd, `${after}\n${user("c", "b").json}\n`, front.length + hole);
  closeSync(fd);
  return path;
}
