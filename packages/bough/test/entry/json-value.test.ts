import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { frozen } from "../../src/entry/frozen.ts";
import { jsonCopy, jsonText, toJson, toJsonAndCopy } from "../../src/entry/json.ts";
import { jsonValue } from "../../src/entry/json-value.ts";
import { sameJson } from "../../src/session/same-json.ts";
import { exactly, jsonWithNumbers, numberText } from "../support/numbers.ts";

const runs = { numRuns: process.env.BOUGH_CAMPAIGN ? 20_000 : 500 };

test("what is read is what JSON.parse reads", () => {
  const holds = (text: string) => sameJson(jsonValue(text), JSON.parse(text));
  fc.assert(fc.property(jsonWithNumbers, holds), runs);
});

test("what is written says what was read, by every writer", () => {
  const writers = [
    toJson,
    jsonText,
    (value: unknown) => toJson(jsonCopy(value)),
    (value: unknown) => toJsonAndCopy(value).json,
  ];
  fc.assert(
    fc.property(jsonWithNumbers, (text) => {
      const value = jsonValue(`{"a":${text}}`);
      for (const write of writers) expect(exactly(write(value))).toEqual(exactly(`{"a":${text}}`));
    }),
    runs,
  );
});

test("numbers that JavaScript can hold leave no trace", () => {
  const held = fc
    .oneof(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.maxSafeInteger())
    .map((number) => JSON.stringify(number));
  const holds = (text: string) => Reflect.ownKeys(jsonValue(`{"a":${text}}`) as object).length === 1;
  fc.assert(fc.property(held, holds), {
    ...runs,
    examples: [["1.50"], ["100e-2"], ["1e23"], ["-0"], ["0.000000000000000000001"]],
  });
});

describe("a number that JavaScript can't hold", () => {
  const text = '{"n":12345678901234567890,"list":[1e999,2]}';
  const read = () => jsonValue(text) as { n: number; list: number[] };

  test("goes along with a copy made by spreading", () => {
    expect(jsonText({ ...read(), more: 1 })).toBe('{"n":12345678901234567890,"list":[1e999,2],"more":1}');
  });

  test("is gone where another was put in its place, or where it was taken out", () => {
    const changed = read();
    changed.n = 5;
    changed.list.shift();
    expect(jsonText(changed)).toBe('{"n":5,"list":[2]}');
    const { n: _, ...rest } = read();
    expect(jsonText(rest)).toBe('{"list":[1e999,2]}');
  });

  test("is kept by freezing, and leaves names, entries and JSON.stringify as they are", () => {
    const value = frozen(read());
    expect(jsonText(value)).toBe(text);
    expect(Object.keys(value)).toEqual(["n", "list"]);
    expect(JSON.stringify(value)).toBe('{"n":12345678901234567000,"list":[null,2]}');
  });

  test("is no infinity that somebody made", () => {
    expect(() => toJson({ n: Number.POSITIVE_INFINITY })).toThrow(expect.objectContaining({ code: "invalid_entry" }));
    expect(() => toJson({ ...read(), m: Number.POSITIVE_INFINITY })).toThrow(
      expect.objectContaining({ code: "invalid_entry" }),
    );
  });

  test("is kept however deep it is nested, and under any name", () => {
    const deep = `${'{"a":['.repeat(50_000)}1e999${"]}".repeat(50_000)}`;
    expect(jsonText(jsonValue(deep)) === deep).toBe(true);
    const named = '{"__proto__":12345678901234567890,"toString":1e999,"0":-1e999}';
    expect(exactly(jsonText(jsonValue(named)))).toEqual(exactly(named));
  });

  test("is another than the one next to it, where both sides know", () => {
    const [one, other] = ["12345678901234567890", "12345678901234567891"].map((n) => jsonValue(`{"n":${n}}`));
    expect([sameJson(one, one), sameJson(one, other), sameJson(one, { n: Number("12345678901234567890") })]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("can't be made to write what is no number", () => {
    const value = read();
    const [symbol] = Object.getOwnPropertySymbols(value) as [symbol];
    const forged = { n: 0, [symbol]: { n: "\n0" } };
    expect(jsonText(forged)).toBe('{"n":0}');
  });
});

test("what only looks like such a number costs nothing more", () => {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const texts = [
    "019b7e12-9e99-7e99-8e99-1e9999999999",
    "1e999",
    "a 12345678901234567000 b",
    "1.2.3.4.5.6.7.8.9.10.11",
  ];
  for (const text of texts) jsonValue(JSON.stringify({ id: text, cost: 0.1 + 0.2, time: 1767225601000 }));
  expect(parse).toHaveBeenCalledTimes(texts.length);
});

test("lines made to be slow are read in linear time", () => {
  const zeros = "0".repeat(2_000_000);
  const hostile = [
    `1${zeros}1`,
    `0.${zeros}1`,
    `1e${zeros}1`,
    `"${zeros}"`,
    `"${"1e100 ".repeat(300_000)}"`,
    `"${"\\\\".repeat(1_000_000)}"`,
  ];
  const started = performance.now();
  for (const text of hostile) {
    const json = `{"a":[${text},1e999]}`;
    expect(exactly(jsonText(jsonValue(json))) !== undefined).toBe(true);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("any spelling of a number is written as a number of the same value", () => {
  fc.assert(
    fc.property(numberText, (text) => {
      expect(exactly(jsonText(jsonValue(`[${text}]`)))).toEqual(exactly(`[${text}]`));
    }),
    { numRuns: 10 * runs.numRuns },
  );
});
