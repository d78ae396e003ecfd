import { describe, expect, test } from "vitest";
import { readHeader } from "../../src/format/stored-header.ts";
import { decodeFile, fileOf } from "../support/decode.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" };
const entry = { type: "custom", id: "a", parentId: null, timestamp: "2026-01-01T00:00:01.000Z", customType: "x" };
const failsWith = (code: string, details: object) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) });

test("DL-01 pi-20 what is no header is no session", () => {
  const others = [{ event: "tick" }, { ...header, type: "message" }, { ...header, id: 7 }, { ...header, id: "" }, {}];
  for (const record of others) {
    expect(() => readHeader(record, "/s/a.jsonl")).toThrow(failsWith("invalid_session", { path: "/s/a.jsonl" }));
  }
});

describe("MG-02 every version has a defined result", () => {
  test.each<[unknown, number, string]>([
    [undefined, 1, "migrate"],
    [null, 1, "migrate"],
    [1, 1, "migrate"],
    [2, 2, "migrate"],
    [3, 3, "append"],
    [4, 4, "read_only"],
    [99, 99, "read_only"],
  ])("%j is read", (version, stored, access) => {
    expect(readHeader({ ...header, version })).toMatchObject({ version: stored, access, header: { version: 3 } });
  });
  test.each([0, -1, 1.5, "3", "", true, [3], {}, 1e300])("%j is refused", (version) => {
    expect(() => readHeader({ ...header, version })).toThrow(failsWith("unsupported_version", { version }));
  });
});

test("pi-28 omp-70 MG-02 a newer session is read where its entries look like ours, and only read", () => {
  const { decoder, entries, diagnostics } = decodeFile(fileOf({ ...header, version: 99 }, entry, { kind: "later" }));
  expect([decoder.access, decoder.version]).toEqual(["read_only", 99]);
  expect(entries).toEqual([entry]);
  expect(diagnostics).toMatchObject([
    { code: "unsupported_version", line: 1 },
    { code: "malformed_line", line: 3 },
  ]);
});

test("pi-28 a newer session of another shape is refused", () => {
  const write = { kind: "entry", seq: 1, entry };
  for (const record of [write, [write], 42, { ...entry, parentId: undefined }]) {
    const file = fileOf({ ...header, version: 4 }, JSON.stringify(record));
    expect(() => decodeFile(file)).toThrow(failsWith("unsupported_version", { version: 4 }));
  }
  expect(() => decodeFile(fileOf({ v: 4, kind: "header", id: "s1" }))).toThrow(
    failsWith("unsupported_version", { version: 4 }),
  );
});

test("pi-14 members nobody knows stay, known ones of the wrong type say nothing", () => {
  const read = readHeader({
    ...header,
    own: [1],
    titleSource: "auto",
    metadata: { a: 1 },
    parentSession: 7,
    title: null,
  });
  expect(read.header).toEqual({ ...header, own: [1], titleSource: "auto", metadata: { a: 1 } });
  expect(readHeader({ type: "session", id: "s1", cwd: 5 }).header).toMatchObject({ timestamp: "", cwd: "" });
});

test("SE-05 a header can't reach a prototype", () => {
  const { header: read } = readHeader(JSON.parse('{"type":"session","version":3,"id":"s","__proto__":{"cwd":"/x"}}'));
  expect(read.cwd).toBe("");
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});
