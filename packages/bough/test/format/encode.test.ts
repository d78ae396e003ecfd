import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { encodeEntry, encodeHeader, readable, serialise } from "../../src/format/encode.ts";
import { specimens } from "../../src/testing/specimens.ts";
import { anyEntry } from "../support/any-entry.ts";
import { decodeFile, fileOf } from "../support/decode.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" } as const;
const readBack = (entry: SessionTreeEntry) => decodeFile(fileOf(encodeHeader(header), encodeEntry(entry)));

test("pi-1 omp-1 a header says type, version, id, time and directory, in that order", () => {
  const { type, id, timestamp, cwd } = header;
  expect(encodeHeader({ cwd, metadata: { a: 1 }, timestamp, id, version: 1, type })).toBe(
    `{"type":"session","version":3,"id":"s1","timestamp":"${timestamp}","cwd":"/w/p","metadata":{"a":1}}`,
  );
});

test("an entry's head comes first", () => {
  const entry = { summary: "s", fromId: "a", timestamp: "t", parentId: null, id: "b", type: "branch_summary" } as const;
  expect(encodeEntry(entry)).toBe(
    '{"type":"branch_summary","id":"b","parentId":null,"timestamp":"t","summary":"s","fromId":"a"}',
  );
});

test("omp-7 pi-15 entries of every type are read as they were written", () => {
  const entries = specimens();
  const { entries: read, diagnostics } = decodeFile(fileOf(header, ...entries.map(encodeEntry)));
  expect(read).toEqual(entries);
  expect(diagnostics).toEqual([]);
});

test("pi-14 whatever is written is read back, members nobody knows included", () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const { entries, diagnostics } = readBack(entry);
      expect(entries).toEqual([entry]);
      expect(diagnostics).toEqual([]);
    }),
  );
});

test("pi-17 omp-11 no text breaks a line, and all text comes back", () => {
  for (const text of [
    "\u2028\u2029\u0085",
    "a\nb\r\n",
    "\0",
    "\uFEFFx",
    "\ud83d half \udd25",
    "🔥",
    '"}\n{"type":"session"}',
  ]) {
    const entry = { type: "custom", id: text, parentId: null, timestamp: text, customType: "x", data: text } as const;
    expect(encodeEntry(entry)).not.toMatch(/[\n\r]/);
    expect(readBack(entry).entries).toEqual([entry]);
  }
});

test("omp-25 a value that is false, zero, empty or null is a value", () => {
  for (const data of [false, 0, "", null]) {
    const entry = { type: "custom", id: "a", parentId: null, timestamp: "t", customType: "x", data } as const;
    expect(readBack(entry).entries).toEqual([entry]);
  }
});

test("a serialised entry is a frozen copy of what will be read", () => {
  const entry = { type: "custom", id: "a", parentId: null, timestamp: "t", customType: "x", data: { list: [1] } };
  const { entry: copy, json } = serialise(entry as SessionTreeEntry);
  expect(JSON.parse(json)).toEqual(copy);
  entry.data.list.push(2);
  expect(copy).toMatchObject({ data: { list: [1] } });
  expect(Object.isFrozen((copy as unknown as typeof entry).data.list)).toBe(true);
});

test("pi-65 what is no JSON is refused", () => {
  const entry = { type: "custom", id: "a", parentId: null, timestamp: "t", customType: "x", data: { n: 1n } } as const;
  expect(() => serialise(entry)).toThrow(
    expect.objectContaining({ code: "invalid_entry", details: { field: "data.n", reason: expect.any(String) } }),
  );
});

test("a line that could not be read back is refused, by its bytes", () => {
  expect(readable('"äöü"', 8)).toBe('"äöü"');
  expect(() => readable('"äöü"', 7)).toThrow(expect.objectContaining({ code: "invalid_entry" }));
});
