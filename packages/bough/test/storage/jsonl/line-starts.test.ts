import fc from "fast-check";
import { expect, test } from "vitest";
import { endLength, LineStarts } from "../../../src/storage/jsonl/line-starts.ts";

interface Seen {
  readonly text: string;
  readonly length: number;
  readonly terminated: boolean;
}

function linesIn(text: string, limit: number, chunkSize: number): Seen[] {
  const lines = new LineStarts(limit);
  const seen: Seen[] = [];
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += chunkSize) {
    const chunk = Uint8Array.from(bytes.subarray(from, from + chunkSize));
    for (const { bytes, ...rest } of lines.push(chunk)) seen.push({ text: Buffer.from(bytes).toString(), ...rest });
    // Whoever pushes a chunk uses its memory again.
    chunk.fill(0x21);
  }
  const rest = lines.end();
  if (rest) seen.push({ text: Buffer.from(rest.bytes).toString(), length: rest.length, terminated: false });
  return seen;
}

test("of each line the start is kept, whatever the chunks", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 20 }), (text, limit, chunkSize) => {
      const expected = text.split("\n").map((line, index, all) => {
        return { text: line.slice(0, limit), length: line.length, terminated: index < all.length - 1 };
      });
      if (expected.at(-1)?.length === 0) expected.pop();
      expect(linesIn(text, limit, chunkSize)).toEqual(expected);
    }),
  );
});

test("the limit holds for a line of any length", () => {
  expect(linesIn(`${"x".repeat(1_000_000)}\ny\n`, 10, 4096)).toEqual([
    { text: "x".repeat(10), length: 1_000_000, terminated: true },
    { text: "y", length: 1, terminated: true },
  ]);
});

test("of a long line the end is kept too", () => {
  const text = `${"0123456789".repeat(300)}\nshort\n`;
  for (const chunkSize of [1, 7, 512, 4096]) {
    const lines = new LineStarts(100);
    const ends: string[] = [];
    for (let from = 0; from < text.length; from += chunkSize) {
      for (const line of lines.push(Buffer.from(text.slice(from, from + chunkSize)))) {
        ends.push(line.last(3), line.last(endLength));
      }
    }
    expect(ends).toEqual(["789", "0123456789".repeat(300).slice(-endLength), "ort", "short"]);
  }
});
