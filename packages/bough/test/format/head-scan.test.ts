import { expect, test } from "vitest";
import { scanHead } from "../../src/format/head-scan.ts";

const record = JSON.stringify({ type: "message", id: "a", parentId: null, timestamp: "t", message: { id: "inner" } });

test("what stands in front of the damage is found", () => {
  expect(scanHead(record.slice(0, -9))).toEqual({ type: "message", id: "a", parentId: null, timestamp: "t" });
  expect(scanHead('{"type":"x","id":"a","par')).toEqual({ type: "x", id: "a" });
  expect(scanHead("")).toEqual({});
  expect(scanHead("42")).toEqual({});
});

test("nested values are passed over, whatever is in them", () => {
  const text =
    '{"a":{"id":"no","s":"}]\\"{"},"b":[[{"id":"no"}]], "n" : -1.5e3 ,"id":"yes","t":true,"message":{"id":"no"';
  expect(scanHead(text)).toEqual({ id: "yes" });
});

test("of a key that occurs twice the first counts", () => {
  expect(scanHead('{"id":"a","id":"b",')).toEqual({ id: "a" });
});

test("escapes are read, and a broken one ends the scan", () => {
  expect(scanHead('{"\\u0069d":"\\ud83d\\udd25\\"","x":"\\q","parentId":"p"')).toEqual({ id: '🔥"' });
});

test("what makes no sense ends the scan", () => {
  expect(scanHead('{"id":"a" "parentId":"p"')).toEqual({ id: "a" });
  expect(scanHead('{"id":"a",,"parentId":"p"')).toEqual({ id: "a" });
  expect(scanHead('{"id":,"parentId":"p"')).toEqual({});
  expect(scanHead('{"id":"a","custo{"parentId":"p"}')).toEqual({ id: "a" });
});

test("SE-05 a key named after the prototype is data", () => {
  const head = scanHead('{"__proto__":"x","id":"a"');
  expect(Object.hasOwn(head, "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(head)).toBe(Object.prototype);
});

test("neither long strings nor deep nesting need a stack", () => {
  const long = `{"s":"${"\\\\x".repeat(4_000_000)}","deep":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)},"id":"a"`;
  expect(scanHead(long)).toMatchObject({ id: "a" });
});

test("a record that another one was glued to has nothing of that", () => {
  for (const scalar of ["null", "1", "true"]) {
    expect(scanHead(`{"id":"torn","parentId":${scalar}{"id":"glued","type":"x","parentId":"b"}`)).not.toHaveProperty(
      "type",
    );
  }
  expect(scanHead('{"id":"torn","parentId":null{"type":"x"}')).toEqual({ id: "torn", parentId: null });
});
