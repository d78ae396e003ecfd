import { expect, test } from "vitest";
import { compactionSettings, defaultCompactionSettings, shouldCompact } from "../../src/index.ts";

const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

test("pi-117 a context is compacted when it reaches into the reserve, not when it just touches it", () => {
  expect(shouldCompact(100_000 - 16_384, 100_000)).toBe(false);
  expect(shouldCompact(100_000 - 16_383, 100_000)).toBe(true);
});

test("pi-118 where it is switched off nothing is compacted by itself", () => {
  expect(shouldCompact(1_000_000, 1000, { ...settings, enabled: false })).toBe(false);
});

test("without a policy the defaults hold", () => {
  expect(compactionSettings()).toEqual(settings);
  expect(defaultCompactionSettings).toEqual(settings);
});

test("a model's own settings win, field by field, and only under its exact name", () => {
  const policy = { reserveTokens: 5, models: { "acme/large": { keepRecentTokens: 9 }, acme: { reserveTokens: 1 } } };
  const model = { provider: "acme", modelId: "large" };
  expect(compactionSettings(policy, model)).toEqual({ enabled: true, reserveTokens: 5, keepRecentTokens: 9 });
  expect(compactionSettings(policy, { ...model, modelId: "Large" }).keepRecentTokens).toBe(20_000);
  expect(compactionSettings(policy, { provider: "__proto__", modelId: "" })).toMatchObject({ reserveTokens: 5 });
});

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("%s is no number of tokens", (tokens) => {
  const policy = { reserveTokens: 7, models: { "acme/large": { reserveTokens: tokens, enabled: false } } };
  const expected = { enabled: false, reserveTokens: 7, keepRecentTokens: 20_000 };
  expect(compactionSettings(policy, { provider: "acme", modelId: "large" })).toEqual(expected);
});

test("settings are brought down to what fits a small window", () => {
  expect(compactionSettings({}, null, 200_000)).toEqual(settings);
  expect(compactionSettings({}, null, 32_768)).toEqual({ ...settings, keepRecentTokens: 8192 });
  expect(compactionSettings({}, null, 8000)).toEqual({ enabled: true, reserveTokens: 4000, keepRecentTokens: 2000 });
});

test("without a window nothing says that it is full", () => {
  expect(shouldCompact(1000, 0)).toBe(false);
  expect(shouldCompact(1000, Number.NaN)).toBe(false);
});
