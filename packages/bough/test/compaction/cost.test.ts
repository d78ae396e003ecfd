import { expect, test } from "vitest";
import { compact, SessionRepo, user } from "../../src/index.ts";
import { JsonlStore } from "../../src/storage/jsonl/index.ts";
import { type Cost, CostCounter, longSession } from "../support/counted-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scripted } from "./sessions.ts";

async function costAfter(history: number): Promise<Cost> {
  const costs = new CostCounter();
  const store = new JsonlStore({ root: temporaryFolder(), durability: "process", fileSystem: costs.fileSystem });
  const session = await new SessionRepo({ store, durability: "process" }).open(longSession(history).path);
  await session.appendMessage(user("the first opens the file"));
  const { summarizer } = scripted("S");
  const cost = await costs.during(() => compact(session, { keep: { turns: 1 }, summarizer }));
  await session.close();
  return cost;
}

test("a compaction costs what the context holds, however long the history above it", async () => {
  const { calls, bytesRead, parsed } = await costAfter(500);
  const long = await costAfter(5000);
  expect(long.calls).toEqual(calls);
  expect(long.parsed).toBe(parsed);
  expect(Math.abs(long.bytesRead - bytesRead)).toBeLessThan(200);
});
