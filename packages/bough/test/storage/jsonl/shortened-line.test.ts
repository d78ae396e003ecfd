import fc from "fast-check";
import { expect, test } from "vitest";
import { lineText } from "../../../src/format/line-text.ts";
import { shortenedLine } from "../../../src/storage/jsonl/shortened-line.ts";

const room = 12;

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

test("what is damaged stays damaged, and nothing else becomes so", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      "\\",
      "\n",
      "\u0001",
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
    fc.property(line, fc.integer({ min: 1, max: 40 }), ([value, faults], size) => {
      let bytes = Buffer.from(JSON.stringify({ value, text: "and so on and so on, ".repeat(3) }));
      for (const [where, fault] of faults) {
        const at = where % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(fault as string), bytes.subarray(at + 1)]);
      }
      const whole = lineText({ bytes, start: 1 });
      const short = lineText({ bytes: shortenedLine(pieces(bytes, size), room), start: 1 });
      expect([short.isUtf8, isJson(short.text)]).toEqual([whole.isUtf8, isJson(whole.text)]);
    }),
    { numRuns: 5000 },
  );
});

function shortened(json: string, size = 7) {
  return lineText({ bytes: shortenedLine(pieces(Buffer.from(json), size), room), start: 1 });
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
