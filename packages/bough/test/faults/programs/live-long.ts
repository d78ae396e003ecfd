/**
 * `live-long.ts FILE RESULTS`: appends that many tool results of 20 KB, compacting every 500, and prints the length of
 * the first one read back, and how many messages the context has. Its heap is for the caller to limit.
 */
import { Session } from "../../../src/index.ts";
import { JsonlStorage } from "../../../src/storage/jsonl/index.ts";

const [, , path, results] = process.argv;
const session = new Session(await JsonlStorage.create(path as string, { durability: "process" }));
const text = "x".repeat(20_000);
let first: string | undefined;
for (let turn = 0; turn < Number(results); turn++) {
  if (turn > 0 && turn % 500 === 0) await session.appendCompaction({ summary: "S", tokensBefore: 1 });
  const content = [{ type: "text" as const, text }];
  const result = { role: "toolResult" as const, toolCallId: `k${turn}`, toolName: "sh", content, isError: false };
  const id = await session.appendMessage(result);
  first ??= id;
}
console.log(
  JSON.stringify(await session.getEntry(first as string)).length,
  (await session.buildContext()).messages.length,
);
await session.close();
