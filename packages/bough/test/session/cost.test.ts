import { expect, test } from "vitest";
import { type Session, SessionRepo, user } from "../../src/index.ts";
import { JsonlStore } from "../../src/storage/jsonl/index.ts";
import { CostCounter, largestBlock, longSession } from "../support/counted-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function opened(history: number): Promise<{ session: Session; costs: CostCounter }> {
  const costs = new CostCounter();
  const store = new JsonlStore({ root: temporaryFolder(), durability: "process", fileSystem: costs.fileSystem });
  const session = await new SessionRepo({ store, durability: "process" }).open(longSession(history).path);
  await session.appendMessage(user("the first opens the file"));
  return { session, costs };
}

test("an append of a session is one write and one look, and parses nothing", async () => {
  const { session, costs } = await opened(100);
  const cost = await costs.during(() => session.appendMessage(user("the second")));
  expect(cost).toEqual({ calls: ["writeSync", "statSync"], bytesRead: 0, parsed: 0 });
  await session.close();
});

test("messages that are appended together are one write, however many", async () => {
  const { session, costs } = await opened(100);
  const messages = Array.from({ length: 50 }, (_, index) => user(`number ${index}`));
  const cost = await costs.during(() => session.appendMessages(messages));
  expect(cost).toEqual({ calls: ["writeSync", "statSync"], bytesRead: 0, parsed: 0 });
  await session.close();
});

test("appends in flight share one write and one look", async () => {
  const { session, costs } = await opened(100);
  const flight = Array.from({ length: 32 }, (_, index) => user(`number ${index}`));
  const cost = await costs.during(() => Promise.all(flight.map((message) => session.appendMessage(message))));
  expect(cost).toEqual({ calls: ["writeSync", "statSync"], bytesRead: 0, parsed: 0 });
  await session.close();
});

test("the tree and its labels are known without parsing bodies, once all heads were read without reading", async () => {
  const { session, costs } = await opened(1000);
  // The one that is no message is the compaction.
  expect((await costs.during(() => session.readTree())).parsed).toBeLessThanOrEqual(1);
  const cost = await costs.during(async () => {
    const tree = await session.readTree();
    for (const { id } of tree.heads()) tree.labelOf(id);
  });
  expect(cost).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
  await session.close();
});

test("to find a thinking level that was set once, at the beginning, the rest of the file is read once", async () => {
  const costs = new CostCounter();
  const beginning = [{ type: "thinking_level_change", thinkingLevel: "high" }];
  const { path, size } = longSession(20_000, 10, { carried: null, beginning });
  const store = new JsonlStore({ root: temporaryFolder(), durability: "process", fileSystem: costs.fileSystem });
  const session = await new SessionRepo({ store }).open(path);
  const context = await session.buildContext();
  const cost = await costs.during(() => expect(context.thinkingLevel).toBe("high"));
  expect(cost.bytesRead).toBeGreaterThan(size - 2 * largestBlock);
  // Blocks overlap by the line that is cut at their beginnings.
  expect(cost.bytesRead).toBeLessThan(1.05 * size);
  expect(cost.parsed).toBeLessThanOrEqual(2);
  await session.close();
});
