import { expect, test } from "vitest";
import { SessionDecoder } from "../../src/format/session-decoder.ts";
import { decodeFile, fileOf, linesOf } from "../support/decode.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" };
const user = (id: string, parentId: string | null, content: unknown = "hi") => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-01-01T00:00:01.000Z",
  message: { role: "user", content, timestamp: 1 },
});
const codes = (file: string | Uint8Array) => decodeFile(file).diagnostics.map(({ code }) => code);
const ids = (file: string | Uint8Array) => decodeFile(file).entries.map(({ id }) => id);

test("pi-2 a session comes out as its header and its entries", () => {
  const { decoder, entries, diagnostics } = decodeFile(fileOf(header, user("u1", null), user("u2", "u1")));
  expect(decoder.header).toEqual(header);
  expect([decoder.version, decoder.access]).toEqual([3, "append"]);
  expect(entries).toEqual([user("u1", null), user("u2", "u1")]);
  expect(diagnostics).toEqual([]);
});

test("CR-02 a record whose head can be read keeps its place", () => {
  const file = fileOf(header, user("u1", null), '{"type":"custom","id":"x1","parentId":"u1","custo', user("u2", "x1"));
  const { entries, diagnostics } = decodeFile(file);
  expect(entries[1]).toEqual({ type: "damaged", id: "x1", parentId: "u1", timestamp: "", originalType: "custom" });
  expect(entries.map(({ id }) => id)).toEqual(["u1", "x1", "u2"]);
  expect(diagnostics).toMatchObject([{ code: "damaged_entry", line: 3, entryId: "x1" }]);
});

test("DL-01 the first object must be a header", () => {
  expect(() => decodeFile('{"event":"tick","n":1}\n{"event":"tick","n":2}\n')).toThrow(
    expect.objectContaining({ code: "invalid_session" }),
  );
});

test("pi-33 lines that are no objects are reported", () => {
  expect(codes(fileOf(header, "42", '"x"', "[]", "null", user("u1", null)))).toEqual(Array(4).fill("not_an_object"));
});

test("pi-34 a byte order mark, CRLF, blank and damaged lines before the header are no obstacle", () => {
  const file = `\uFEFF${fileOf("", "garbage", header, user("u1", null)).replaceAll("\n", "\r\n")}`;
  expect(ids(file)).toEqual(["u1"]);
  expect(codes(file)).toEqual(["malformed_line"]);
});

test("a line given again once it is complete keeps its number", () => {
  const decoder = new SessionDecoder();
  const [first, torn] = linesOf(fileOf(header, user("u1", null)).slice(0, -9));
  const [, whole, next] = linesOf(fileOf(header, user("u1", null), "x"));
  if (!first || !torn || !whole || !next) throw new Error("four lines");
  decoder.decode(first);
  expect(decoder.decode(torn).diagnostics).toMatchObject([{ code: "torn_tail", line: 2 }]);
  expect(decoder.decode(whole).entry).toEqual(user("u1", null));
  expect(decoder.decode(next).diagnostics).toMatchObject([{ code: "malformed_line", line: 3 }]);
});
