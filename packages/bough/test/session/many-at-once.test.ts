import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentMessage, extractiveSummarizer, Session } from "../../src/index.ts";
import { settle } from "../../src/session/attempt.ts";
import { JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { catalogWithoutFile } from "../catalog/catalogs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** More than a function can be given as arguments. */
const many = 130_000;

const time = "2026-01-01T00:00:00.000Z";
const header = `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: time, cwd: "/w" })}\n`;

function messages(count: number): string {
  const message = { role: "user", content: "the same", timestamp: 0 };
  const lines = Array.from({ length: count }, (_, index) => {
    const parentId = index === 0 ? null : `m${index - 1}`;
    return `${JSON.stringify({ type: "message", id: `m${index}`, parentId, timestamp: time, message })}\n`;
  });
  return lines.join("");
}

test("all entries are watched that another process wrote at once", async () => {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, header);
  const session = new Session(await JsonlStorage.open(path));
  const watched = session.watch()[Symbol.asyncIterator]();
  const first = watched.next();
  appendFileSync(path, messages(many));
  expect((await first).value?.id).toBe("m0");
  let last: string | undefined;
  for (let count = 1; count < many; count++) last = (await watched.next()).value?.id;
  expect(last).toBe(`m${many - 1}`);
  await session.close();
});

test("all entries of a session are found without an index", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "s.jsonl"), header + messages(many));
  const { hits, cursor } = await catalogWithoutFile(folder).search("same", { limit: 2 });
  expect(hits.map(({ entryId }) => entryId)).toEqual([`m${many - 1}`, `m${many - 2}`]);
  expect(cursor).toBeDefined();
});

test("a text of as many sentences is summarised", async () => {
  const content = "This is said over and over.\n".repeat(many);
  const said = [
    { role: "user", content, timestamp: 0 },
    { role: "assistant", content: [{ type: "text", text: content }], stopReason: "stop", timestamp: 0 },
  ] as unknown as readonly AgentMessage[];
  const files = { readFiles: [], modifiedFiles: [] };
  const { stopReason } = await extractiveSummarizer({ kind: "compaction", messages: said, turnPrefix: [], files });
  expect(stopReason).toBe("stop");
});

test("as many requests fail together where nothing was written", () => {
  const attempt = { records: [{}], ids: ["a"], marks: [], fileLeaf: null } as never;
  const results = settle(Array(many).fill(attempt), [], new Error("the disk is full"));
  expect(results.filter(({ status }) => status === "failed")).toHaveLength(many);
});
