import fc from "fast-check";
import { expect, test } from "vitest";
import { lineText } from "../../../src/format/line-text.ts";
import { type ShortenedSizes, shortenedLine } from "../../../src/storage/jsonl/shortened-line.ts";

const sizes = { string: 12, member: 1 << 20, line: 1 << 20 };

test("strings keep their beginnings, and everything else stays", () => {
  const value = {
    id: "a",
    text: "x".repeat(100),
    list: [1, null, "kurz", "ß".repeat(50)],
    "long key of some kind": true,
  };
  expect(JSON.parse(shortened(JSON.stringify(value)).text)).toEqual({
    id: "a",
    text: "x".repeat(12),
    list: [1, null, "kurz", "ß".repeat(6)],
    "long key of ": true,
  });
});

test("any JSON stays JSON of the same shape, however it is cut into pieces", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.integer({ min: 1, max: 40 }), (value, size) => {
      const { text, isUtf8 } = shortened(JSON.stringify(withShortKeys(value)), size);
      expect(isUtf8).toBe(true);
      expect(withoutStrings(JSON.parse(text))).toEqual(
        withoutStrings(JSON.parse(JSON.stringify(withShortKeys(value)))),
      );
    }),
    { numRuns: 2000 },
  );
});

const small = { string: 12, member: 60, line: 240 };

test("lists and objects keep their first members, and what the record is stays whatever stands in front of it", () => {
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  const message = {
    role: "toolResult",
    content: numbers.map((at) => ({ type: "text", text: `part ${at}` })),
    details: { rows: { of: numbers, by: Object.fromEntries(numbers.map((at) => [`k${at}`, at])) } },
    usage: { input: 5, cost: { total: 0.5 } },
  };
  const { text } = shortened(JSON.stringify({ type: "message", message, last: "yes" }), 7, small);
  const { message: short, ...record } = JSON.parse(text);
  expect(record).toEqual({ type: "message", last: "yes" });
  expect(short).toMatchObject({ role: "toolResult", usage: message.usage });
  expect(short.content).toEqual(message.content.slice(0, short.content.length));
  expect(short.details.rows.of).toEqual(numbers.slice(0, short.details.rows.of.length));
  expect(short.details.rows.by).toBeUndefined();
  expect(text.length).toBeLessThan(small.line + 100);
});

test.each([
  ["members of the record", `{${many((at) => `"k${at}":1`)}}`],
  ["objects in objects", `${'{"a":'.repeat(1e5)}1${"}".repeat(1e5)}`],
  ["lists in lists", `${"[".repeat(1e5)}${"]".repeat(1e5)}`],
  ["empty lists", `{"a":[${many(() => "[]")}]}`],
  ["strings", `{"a":{"b":[${many(() => '"a","bc"')}]}}`],
  ["bytes of no JSON", `{"a":1} ${"no more".repeat(10_000)}`],
  ["bytes behind a control character", `{"a":"b\u0001${"more".repeat(10_000)}"}`],
])("however many there are of %s, little is held", (_, json) => {
  const { text } = shortened(json, 4096, small);
  expect(isJson(text)).toBe(isJson(json));
  expect(text.length).toBeLessThan(4 * small.line);
});

test("what is blank, and NULs around a line, leave no room for less", () => {
  const blank = " ".repeat(10_000);
  const nuls = "\0".repeat(10_000);
  const json = `${nuls}${blank}{${blank}"a"${blank}:${blank}[${blank}1${blank},2${blank}]${blank},"b":${blank}"x"}${blank}${nuls}`;
  const { text, hasNuls } = shortened(json, 4096, small);
  expect([JSON.parse(text), hasNuls]).toEqual([{ a: [1, 2], b: "x" }, true]);
  expect(text.length).toBeLessThan(small.line);
});

test("the beginnings of any JSON are kept", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: "binary", depthSize: "large" }),
      fc.integer({ min: 1, max: 40 }),
      (value, size) => {
        const json = JSON.stringify(withShortKeys(value));
        const { text, isUtf8 } = shortened(json, size, { string: 1000, member: 20, line: 80 });
        expect(isUtf8).toBe(true);
        expect(isBeginning(JSON.parse(text), JSON.parse(json))).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

test("what is damaged stays damaged, and nothing else becomes so", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      "\\",
      "\n",
      "\u0001",
      "\0",
      "\0\0",
      "\0".repeat(50),
      " ".repeat(50),
      "{",
      "]",
      "\\u12",
      "\\n",
      "\\q",
      "a".repeat(30),
      "\\ud800",
      "äöü€😀".repeat(4),
    ),
    fc.uint8Array({ maxLength: 4 }),
  );
  const line = fc.tuple(fc.jsonValue({ stringUnit: "binary" }), fc.array(fc.tuple(fc.nat(), piece), { maxLength: 3 }));
  fc.assert(
    fc.property(line, fc.integer({ min: 1, max: 40 }), fc.nat({ max: 80 }), ([value, faults], size, most) => {
      let bytes = Buffer.from(JSON.stringify({ value, text: "and so on and so on, ".repeat(3) }));
      for (const [where, fault] of faults) {
        const at = where % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(fault as string), bytes.subarray(at + 1)]);
      }
      const whole = lineText({ bytes, start: 1 });
      const short = shortened(bytes, size, { string: 12, member: most, line: 2 * most });
      expect({ ...short, text: isJson(short.text) }).toEqual({ ...whole, text: isJson(whole.text) });
    }),
    { numRuns: 5000 },
  );
});

function shortened(json: string | Buffer, size = 7, to: ShortenedSizes = sizes) {
  return lineText({ bytes: shortenedLine(pieces(Buffer.from(json), size), to), start: 1 });
}

function many(item: (at: number) => string): string {
  return Array.from({ length: 10_000 }, (_, at) => item(at)).join(",");
}

/** Whether lists and objects of `short` have the first members of those of `long`. */
function isBeginning(short: unknown, long: unknown): boolean {
  if (typeof short !== "object" || short === null) return Object.is(short, long);
  if (typeof long !== "object" || long === null) return false;
  const [shortMembers, longMembers] = [Object.entries(short), Object.entries(long)];
  return (
    Array.isArray(short) === Array.isArray(long) &&
    shortMembers.every(([key, member], at) => key === longMembers[at]?.[0] && isBeginning(member, longMembers[at]?.[1]))
  );
}

/** One buffer used again and again, as a reader does. */
function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const piece = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    piece.set(bytes.subarray(at, at + size));
    yield piece.subarray(0, Math.min(size, bytes.length - at));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withoutStrings(value: unknown): unknown {
  return mapped(value, () => "");
}

/** Keys that are cut could fall together. */
function withShortKeys(value: unknown): unknown {
  return mapped(value, (text) => text);
}

function mapped(value: unknown, ofString: (text: string) => string): unknown {
  if (typeof value === "string") return ofString(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => mapped(member, ofString));
  return Object.fromEntries(Object.values(value).map((member, at) => [`k${at}`, mapped(member, ofString)]));
}
