import fc from "fast-check";
import { expect, test } from "vitest";
import { headsOf } from "../../src/testing/index.ts";
import { SessionTree } from "../../src/tree/index.ts";
import { anyHeads, lastOfEach } from "../support/any-heads.ts";
import { fold, foldRecords } from "../support/fold.ts";

test("pi-216 tokens and cost count over all branches, summaries included", () => {
  const stats = foldRecords(`
    U(u1,-,"a")
    A(a1,u1,"b",usage:10,cost:0.5)
    A(a2,u1,"c",usage:20,cost:0.25)
    K(p1,a1,a1,"S",usage:30,cost:1)
  `).statistics.snapshot();
  expect(stats).toMatchObject({ entryCount: 4, messageCount: 3, uncachedTokens: 60, totalTokens: 60, costTotal: 1.75 });
});

test("a reply without usage is counted as unknown, and its cost is not 0", () => {
  const stats = foldRecords('U(u1,-,"a")\nA(a1,u1,"b",usage:none)').statistics.snapshot();
  expect(stats).toMatchObject({ unknownReplies: 1, totalTokens: 0, costTotal: null });
});

test("what a fork copied is inherited, what came after is its own", () => {
  const tree = new SessionTree({ inheritedEntries: 2 });
  const heads = headsOf('U(u1,-,"a")\nA(a1,u1,"b",usage:10,cost:1)\nA(a2,a1,"c",usage:5,cost:2)');
  for (const head of heads) tree.add(head);
  expect(tree.statistics.snapshot()).toMatchObject({
    own: { input: 5, cost: 2 },
    inherited: { input: 10, cost: 1 },
    totalTokens: 15,
    costTotal: 3,
  });
});

test("cached tokens are those read from the cache, written ones count as uncached", () => {
  const tree = new SessionTree();
  const usage = { input: 1, output: 2, cacheRead: 4, cacheWrite: 8, cost: null };
  tree.add({ position: 0, id: "a", parentId: null, type: "message", role: "assistant", timestamp: "", usage });
  expect(tree.statistics.snapshot()).toMatchObject({ cachedTokens: 4, uncachedTokens: 9, totalTokens: 15 });
});

test("pi-218 kept up to date, the figures equal a recount", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const counted = lastOfEach(heads);
      const input = counted.reduce((sum, head) => sum + (head.usage?.input ?? 0), 0);
      expect(fold(heads).statistics.snapshot()).toMatchObject({
        entryCount: counted.length,
        messageCount: counted.filter((head) => head.type === "message").length,
        totalTokens: input,
      });
    }),
  );
});
