import fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, LineSplitter } from "../../src/format/lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const shown = (line: Line) => ({ ...line, bytes: new TextDecoder().decode(line.bytes) });

test("lines know their bytes and their place", () => {
  const splitter = new LineSplitter();
  expect([...splitter.push(bytes("ab\n\ncd"))].map(shown)).toEqual([
    { bytes: "ab", start: 0, end: 3, terminated: true },
    { bytes: "", start: 3, end: 4, terminated: true },
  ]);
  expect(shown(splitter.end() as Line)).toEqual({ bytes: "cd", start: 4, end: 6, terminated: false });
});

test("after the end was looked at, the line goes on", () => {
  const splitter = new LineSplitter(100);
  splitter.push(bytes("ab"));
  splitter.end();
  expect([...splitter.push(bytes("c\n"))].map(shown)).toEqual([
    { bytes: "abc", start: 100, end: 104, terminated: true },
  ]);
  expect(splitter.end()).toBeUndefined();
});

test("pi-17 a line ends at byte 0x0A and at no other separator", () => {
  const text = "a\u2028b\u2029c\u0085d\re";
  expect([...new LineSplitter().push(bytes(`${text}\n`))].map((line) => shown(line).bytes)).toEqual([text]);
});

test("chunks may be cut anywhere and their buffer used again", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20, max: 12 }), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, (chunks) => {
      const whole = Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
      const splitter = new LineSplitter();
      const buffer = Buffer.alloc(20);
      const lines: number[][] = [];
      for (const chunk of chunks) {
        buffer.set(chunk);
        for (const line of splitter.push(buffer.subarray(0, chunk.length))) lines.push([...line.bytes, 10]);
      }
      lines.push([...(splitter.end()?.bytes ?? [])]);
      expect(lines.flat()).toEqual([...whole]);
    }),
  );
});

test("a line of many chunks is put together once", () => {
  const splitter = new LineSplitter();
  const chunk = new Uint8Array(1024).fill(97);
  for (let count = 0; count < 16_384; count++) splitter.push(chunk);
  const [line] = [...splitter.push(bytes("\n"))];
  expect(line?.bytes.length).toBe(16 * 1024 * 1024);
});
