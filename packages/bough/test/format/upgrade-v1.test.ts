import { describe, expect, test } from "vitest";
import { decodeFile, fileOf } from "../support/decode.ts";

const header = { type: "session", id: "s1", timestamp: "2025-12-09T00:00:00.000Z", cwd: "/w/p" };
const timestamp = "2025-12-09T00:00:01.000Z";
const message = (role: string, more: object = {}) => ({
  type: "message",
  timestamp,
  message: { role, content: "x" },
  ...more,
});
const compaction = (firstKeptEntryIndex: unknown) => ({
  ...{ type: "compaction", timestamp, summary: "s", tokensBefore: 9 },
  firstKeptEntryIndex,
});
const links = (file: string) => decodeFile(file).entries.map(({ id, parentId }) => [id, parentId]);

test("pi-21 omp-64 lines become a chain whose ids are their line numbers", () => {
  const { decoder, entries } = decodeFile(fileOf(header, message("user"), message("assistant"), message("user")));
  expect([decoder.version, decoder.access, decoder.header?.version]).toEqual([1, "migrate", 3]);
  expect(entries).toEqual([
    { ...message("user"), id: "00000002", parentId: null },
    { ...message("assistant"), id: "00000003", parentId: "00000002" },
    { ...message("user"), id: "00000004", parentId: "00000003" },
  ]);
});

test("pi-24 the number of a line is the same with blank and damaged lines around it", () => {
  const file = fileOf(header, "", message("user"), "{broken", "7", message("user"));
  expect(links(file)).toEqual([
    ["00000003", null],
    ["00000006", "00000003"],
  ]);
});

test("MG-01 reading twice gives the same ids", () => {
  const file = fileOf(header, message("user"), compaction(1));
  expect(decodeFile(file).entries).toEqual(decodeFile(file).entries);
});

test("omp-71 ids and parents that are there are kept", () => {
  const file = fileOf(
    header,
    message("user", { id: "a", parentId: null }),
    message("user", { id: "b" }),
    message("user"),
    message("user", { id: "c", parentId: "a" }),
    message("user", { id: "d", parentId: null }),
  );
  expect(links(file)).toEqual([
    ["a", null],
    ["b", "a"],
    ["00000004", "b"],
    ["c", "a"],
    ["d", null],
  ]);
});

describe("pi-22 omp-64 firstKeptEntryIndex counts the records, the header being 0", () => {
  test.each<[string, unknown, string | undefined]>([
    ["an entry", 2, "00000003"],
    ["pi-23 omp-65 the header", 0, undefined],
    ["itself", 4, undefined],
    ["what comes later", 5, undefined],
    ["nothing", 99, undefined],
    ["a negative number", -1, undefined],
    ["a fraction", 1.5, undefined],
    ["text", "2", undefined],
  ])("%s", (_, index, kept) => {
    const file = fileOf(
      header,
      message("user"),
      message("assistant"),
      message("user"),
      compaction(index),
      message("user"),
    );
    const { decoder, entries, lines } = decodeFile(file);
    const read = entries[3];
    expect(read).toHaveProperty("tokensBefore", 9);
    expect(read).not.toHaveProperty("firstKeptEntryIndex");
    expect((read as { firstKeptEntryId?: string }).firstKeptEntryId).toBe(kept);
    expect(Object.hasOwn(read as object, "firstKeptEntryId")).toBe(kept !== undefined);
    expect(decoder.redecode(lines[3]?.bytes as Uint8Array, { id: "00000005", parentId: "00000004" })).toEqual(read);
  });
});

test("lines that are no records don't count for firstKeptEntryIndex, a second header does", () => {
  const file = fileOf("garbage", header, "{broken", "", header, message("user"), compaction(2));
  expect(decodeFile(file).entries[1]).toMatchObject({ firstKeptEntryId: "00000006" });
});

test("the state in a header stays there, and the file it was branched from is its parent", () => {
  const old = { ...header, provider: "anthropic", modelId: "opus", thinkingLevel: "off", branchedFrom: "/s/a.jsonl" };
  expect(decodeFile(fileOf(old)).decoder.header).toEqual({ ...old, version: 3, parentSession: "/s/a.jsonl" });
});

test("a body that can't be used keeps its place in the chain", () => {
  const { entries, diagnostics } = decodeFile(fileOf(header, { type: "message", timestamp }, message("user")));
  expect(entries).toMatchObject([{ type: "damaged", id: "00000002" }, { parentId: "00000002" }]);
  expect(diagnostics).toMatchObject([{ code: "damaged_entry", entryId: "00000002", line: 2 }]);
});
