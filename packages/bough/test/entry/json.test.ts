import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, toJson } from "../../src/entry/json.ts";

const refusedAt = (field: string) =>
  expect.objectContaining({ code: "invalid_entry", details: { field, reason: expect.any(String) } });

test("plain values become what JSON.stringify makes of them", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => toJson(value) === JSON.stringify(value)));
});

test("pi-16 members that are undefined are left out", () => {
  expect(toJson({ a: undefined, b: null, c: { d: undefined } })).toBe('{"b":null,"c":{}}');
});

const cycle: Record<string, unknown> = { a: [{}] };
(cycle.a as object[])[1] = { back: cycle };

describe("pi-65 what JSON would change, drop or choke on is refused", () => {
  test.each<[string, unknown, string]>([
    ["a function", { message: { content: [{ text: () => 1 }] } }, "message.content[0].text"],
    ["a symbol", { data: Symbol("s") }, "data"],
    ["a bigint", { data: { n: 1n } }, "data.n"],
    ["NaN", { data: [1, Number.NaN] }, "data[1]"],
    ["an infinity", { tokensBefore: Number.NEGATIVE_INFINITY }, "tokensBefore"],
    ["undefined in an array", { data: [undefined] }, "data[0]"],
    ["a hole in an array", { data: new Array(1) }, "data[0]"],
    ["a cycle", cycle, "a[1].back"],
    ["a map", { data: new Map() }, "data"],
    ["a set", { data: new Set() }, "data"],
    ["a date", { data: { at: new Date(0) } }, "data.at"],
    ["a regular expression", { data: /x/ }, "data"],
    ["a typed array", { data: new Uint8Array(2) }, "data"],
    ["a boxed number", { data: Object(1) }, "data"],
    ["an error", { data: new Error("x") }, "data"],
    ["an object with toJSON", { data: { toJSON: () => 1 } }, "data"],
    ["an array with toJSON", { data: Object.assign([], { toJSON: () => 1 }) }, "data"],
    ["undefined itself", undefined, ""],
  ])("%s", (_, value, field) => {
    expect(() => toJson(value)).toThrow(refusedAt(field));
  });
});

test("an object met twice is no cycle", () => {
  const twice = { a: 1 };
  expect(toJson([twice, { twice }])).toBe('[{"a":1},{"twice":{"a":1}}]');
});

test("plain objects of another realm and without a prototype are plain", () => {
  expect(toJson(vm.runInNewContext("({ a: [1, { b: 2 }] })"))).toBe('{"a":[1,{"b":2}]}');
  expect(toJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
});

test("SE-05 keys that JavaScript knows are data", () => {
  const json = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"p":1}},"hasOwnProperty":null}';
  expect(toJson(JSON.parse(json))).toBe(json);
  expect("polluted" in {}).toBe(false);
});

test("values are written however deep they are nested", () => {
  const json = `{"a":[1,{},[],"x\\n"],"data":{"args":${'[0,{"b":'.repeat(100_000)}null${"}]".repeat(100_000)}}}`;
  const deep = JSON.parse(json);
  expect([toJson(deep) === json, jsonText(deep) === json]).toEqual([true, true]);
  deep.data.more = [0, { at: undefined }, Number.NaN];
  expect(() => toJson(deep)).toThrow(refusedAt("data.more[2]"));
});

test("what is walked is written as JSON.stringify writes it", () => {
  const beyondRecursion = (value: unknown) => Array.from({ length: 80 }).reduce((inner) => [inner], value);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const deep = beyondRecursion({ none: undefined, value, last: undefined });
      expect(toJson(deep)).toBe(JSON.stringify(deep));
    }),
  );
});

test("a half of a surrogate pair is written as an escape", () => {
  expect(toJson("\ud83d")).toBe('"\\ud83d"');
});
