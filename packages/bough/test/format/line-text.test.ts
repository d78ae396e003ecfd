import { expect, test } from "vitest";
import { lineText } from "../../src/format/line-text.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a byte order mark is one at the start of the file only", () => {
  expect(lineText({ bytes: bytes("\uFEFFx"), start: 0 }).text).toBe("x");
  expect(lineText({ bytes: bytes("\uFEFFx"), start: 1 }).text).toBe("\uFEFFx");
  expect(lineText({ bytes: bytes("\uFEFF\uFEFFx"), start: 0 }).text).toBe("\uFEFFx");
});

test("NULs around a record are taken off and told", () => {
  expect(lineText({ bytes: bytes("\0\0a\0b\0"), start: 5 })).toEqual({ text: "a\0b", hasNuls: true, isUtf8: true });
  expect(lineText({ bytes: bytes("\0\0\0"), start: 0 })).toEqual({ text: "", hasNuls: true, isUtf8: true });
  expect(lineText({ bytes: bytes("\uFEFF\0a"), start: 0 })).toEqual({ text: "a", hasNuls: true, isUtf8: true });
});

test("bytes that are no UTF-8 become U+FFFD and are told", () => {
  const broken = Uint8Array.from([0x61, 0xff, 0xe2, 0x82, 0x62]);
  expect(lineText({ bytes: broken, start: 0 })).toEqual({ text: "a\uFFFD\uFFFDb", hasNuls: false, isUtf8: false });
});
