import { expect, test } from "vitest";
import { modelNamed, usageOrData } from "../../src/session-manager/arguments.ts";

test.each([
  [["p", "m"], { provider: "p", modelId: "m" }],
  [["p", "x/y"], { provider: "p", modelId: "x/y" }],
  [["p/m", undefined], { provider: "p", modelId: "m" }],
  [["p/m", "smol"], { provider: "p", modelId: "m", role: "smol" }],
] as const)("%j names %j", ([first, second], model) => {
  expect(modelNamed(first, second)).toEqual(model);
});

test("a usage is told from data by its counts", () => {
  const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0 } };
  expect(usageOrData(usage)).toEqual({ usage });
  for (const data of [{ input: "text" }, { kept: [1] }, null, 0, "x"]) {
    expect(usageOrData(data)).toEqual({ preserveData: data });
  }
  expect(usageOrData(undefined)).toEqual({});
});
