import { expect, test } from "vitest";
import { zeroUsage } from "../../src/entry/usage.ts";
import { type AssistantMessage, assistant } from "../../src/index.ts";
import { openStory } from "../support/stories.ts";

function spent(cost: number): Pick<AssistantMessage, "usage" | "provider" | "model"> {
  const usage = { ...zeroUsage, output: 10, totalTokens: 10, cost: { ...zeroUsage.cost, total: cost } };
  return { usage, provider: "acme", model: "large" };
}

test("CO-01 three forks count what each spent, and what they inherited apart", async () => {
  const { session } = await openStory(`U(u1,-,"a")
    A(a1,u1,"b",cost:0.10,usage:1)
    U(u2,a1,"c")
    A(a2,u2,"d",cost:0.20,usage:1)`);
  const forks = await Promise.all([1, 2, 3].map(() => session.fork("a1")));
  let total = (await session.getSessionStats()).own.cost ?? 0;
  for (const fork of forks) {
    await fork.appendMessage({ ...assistant("reply"), ...spent(0.05) });
    const { own, inherited } = await fork.getSessionStats();
    expect(inherited.cost).toBeCloseTo(0.1);
    total += own.cost ?? 0;
  }
  expect(total).toBeCloseTo(0.45);
});

test("CO-04 what a summary cost is part of the total", async () => {
  const { session } = await openStory(`U(u1,-,"a")\nA(a1,u1,"b",usage:none)`);
  const usage = { ...zeroUsage, input: 192_000, output: 500, cost: { ...zeroUsage.cost, total: 0.6 } };
  await session.appendCompaction({ summary: "S", tokensBefore: 100, usage });
  await session.moveTo("a1", { summary: "B", usage });
  const { costTotal, tokens } = await session.getSessionStats();
  expect(costTotal).toBeCloseTo(1.2);
  expect(tokens.input).toBe(384_000);
});

test("CO-05 omp-82 EX-09 a reply without usage is counted as unknown and spoils no sum", async () => {
  const { session } = await openStory(`U(u1,-,"a")
    A(a1,u1,"b",usage:none)
    U(u2,a1,"c")
    A(a2,u2,"d",usage:12)`);
  expect(await session.getSessionStats()).toMatchObject({ totalTokens: 12, unknownReplies: 1, messageCount: 4 });
});

test("CO-06 LS-10 unknown cost is null, and nothing spent is 0", async () => {
  const unknown = await openStory(`U(u1,-,"a")\nA(a1,u1,"b",usage:none)`);
  const free = await openStory(`U(u1,-,"a")\nA(a1,u1,"b",usage:0)`);
  expect((await unknown.session.getSessionStats()).costTotal).toBeNull();
  expect((await free.session.getSessionStats()).costTotal).toBe(0);
});
