import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/entry/diagnostic.ts";
import { type EntryHead, headOf } from "../../src/entry/head.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Line } from "../../src/format/lines.ts";
import { scanRecord } from "../../src/format/record-scan.ts";
import { SessionDecoder } from "../../src/format/session-decoder.ts";
import { randomSession } from "../../src/testing/random-session.ts";
import { specimens } from "../../src/testing/specimens.ts";
import { anyEntry } from "../support/any-entry.ts";
import { decodeFile, linesOf } from "../support/decode.ts";
import { sharedPath } from "../support/shared.ts";

const encoder = new TextEncoder();
const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';

interface Reading {
  readonly heads: readonly EntryHead[];
  readonly diagnostics: readonly Diagnostic[];
}

function eager(lines: readonly Line[]): Reading {
  const decoder = new SessionDecoder();
  const decoded = lines.map((line) => ({ line, ...decoder.decode(line) }));
  return {
    heads: decoded.flatMap(({ line, entry }) => (entry === undefined ? [] : [headOf(entry, line.start)])),
    diagnostics: decoded.flatMap(({ diagnostics }) => diagnostics),
  };
}

function scanned(lines: readonly Line[]): Reading {
  const decoder = new SessionDecoder();
  const decoded = lines.map((line) => decoder.decodeHead(line));
  return {
    heads: decoded.flatMap(({ head }) => (head === undefined ? [] : [head])),
    diagnostics: decoded.flatMap(({ diagnostics }) => diagnostics),
  };
}

function expectAgreement(file: Uint8Array): void {
  const lines = linesOf(file);
  expect(scanned(lines)).toStrictEqual(eager(lines));
}

/** A session of these lines; what is no text stands as it is. */
function fileOf(...records: readonly (string | Uint8Array)[]): Uint8Array {
  const lines = records.map((record) => (typeof record === "string" ? encoder.encode(record) : record));
  return Buffer.concat([encoder.encode(header), ...lines.flatMap((line) => [line, Uint8Array.of(0x0a)])]);
}

const entryText = anyEntry.map(encodeEntry);

/** Members in any order, at the top and in the message. */
const shuffledText = fc.tuple(anyEntry, fc.infiniteStream(fc.nat())).map(([entry, order]) => {
  const shuffled = (value: object) => {
    const fields = Object.entries(value).map((field) => ({ field, rank: order.next().value as number }));
    return Object.fromEntries(fields.sort((a, b) => a.rank - b.rank).map(({ field }) => field));
  };
  const message = "message" in entry ? { message: shuffled(entry.message) } : {};
  return JSON.stringify(shuffled({ ...entry, ...message }));
});

const names = ["type", "id", "parentId", "timestamp", "message", "role", "usage", "cost", "total", "summary", "name"];
const values = [
  '"x"',
  '"message"',
  "null",
  "0",
  "-1.5e3",
  "1e999",
  "{}",
  "[]",
  '{"role":"user"}',
  '{"usage":{"input":1}}',
];

/** Well-formed or not, and full of what might be taken for something else. */
const oddText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...names.map((name) => `"${name}":`), ...values),
      fc.constantFrom(
        ",",
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        " ",
        "\t",
        "\r",
        "\\",
        '\\"',
        "\\u0069d",
        "\0",
        "é",
        "\u2028",
        "01",
        "+1",
        "1.",
        "tru",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => `{"type":"message","id":"a","parentId":null,${pieces.join("")}}`);

/** Objects whose keys repeat and come from anywhere. */
const repeatingText = fc
  .array(
    fc.tuple(fc.constantFrom(...names, "\\u0069d", "other", "né", ""), fc.oneof(fc.constantFrom(...values), entryText)),
    {
      maxLength: 12,
    },
  )
  .map((fields) => `{${fields.map(([name, value]) => `"${name}":${value}`).join(",")}}`);

const interestingBytes = [
  0x00, 0x09, 0x0d, 0x1f, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x7f, 0x80, 0xa0, 0xbf,
];
const anyByte = fc.oneof(
  fc.constantFrom(...interestingBytes, 0xc1, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
  fc.integer({ min: 0, max: 255 }),
);

/** What bad memory, torn writes and careless editors make of a line. */
const mutatedLine = fc
  .tuple(
    fc.oneof(entryText, shuffledText, repeatingText),
    fc.nat(),
    fc.nat({ max: 12 }),
    fc.array(anyByte, { maxLength: 6 }),
  )
  .map(([text, place, removed, added]) => {
    const bytes = Array.from(encoder.encode(text));
    bytes.splice(place % (bytes.length + 1), removed, ...added);
    return Uint8Array.from(bytes.filter((byte) => byte !== 0x0a));
  });

const truncatedLine = fc.tuple(entryText, fc.nat()).map(([text, length]) => {
  const bytes = encoder.encode(text);
  return bytes.subarray(0, length % (bytes.length + 1));
});

describe("heads that were scanned and heads that were decoded are the same, and so is what is reported,", () => {
  test.each<[string, fc.Arbitrary<string | Uint8Array>]>([
    ["of any entry", entryText],
    ["with the members in any order", shuffledText],
    ["where keys repeat", repeatingText],
    ["of what looks like a record", oddText],
    ["of lines with changed bytes", mutatedLine],
    ["of lines that were cut", truncatedLine],
  ])("%s", (_, line) => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (records) => expectAgreement(fileOf(...records))),
      { numRuns: 400 },
    );
  });

  test("of sessions as agents leave them, damaged ones too", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { entries } = randomSession(seed, { length: 200, damaged: seed % 2 === 1 });
      expectAgreement(fileOf(...entries.map(encodeEntry)));
    }
  });

  test("of any two bytes inside a string, and of characters at the edges of what is UTF-8", () => {
    const second = [...interestingBytes, 0x2f, 0x39, 0x62, 0x6e, 0x75, 0x8f, 0x90, 0x9f, 0xc0];
    const pairs = Array.from({ length: 256 }, (_, first) => second.map((byte) => [first, byte]));
    const leads = [0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5];
    const followers = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
    const last = [0x41, 0x80, 0xbf, 0xc0];
    const characters = leads.flatMap((a) =>
      followers.flatMap((b) => last.flatMap((c) => last.map((d) => [a, b, c, d]))),
    );
    const lines = [...pairs.flat(), ...characters]
      .filter((bytes) => !bytes.includes(0x0a))
      .map((bytes) => {
        const before = encoder.encode('{"type":"x","id":"a","parentId":null,"t":"');
        return Buffer.concat([before, Uint8Array.from(bytes), encoder.encode('"}')]);
      });
    const [scan, decoded] = [scanned(linesOf(fileOf(...lines))), eager(linesOf(fileOf(...lines)))];
    expect(scan.heads.length).toBeGreaterThan(5000);
    expect(JSON.stringify(scan)).toBe(JSON.stringify(decoded));
  });

  test("at every length of a string, wherever in it something special stands", () => {
    const texts = ["", "é", "\\n", "\\q", "\u0001", "\\u12", "🔥"];
    const lines = Array.from({ length: 40 }, (_, length) =>
      texts.map((text) => `{"type":"x","id":"${"i".repeat(length)}${text}","parentId":null,"${"k".repeat(length)}":0}`),
    );
    expectAgreement(fileOf(...lines.flat()));
  });

  test("at every depth", () => {
    const depths = [1, 2, 254, 255, 256, 257, 5000];
    const lines = depths.map(
      (n) => `{"type":"x","id":"d${n}","parentId":null,"deep":${"[".repeat(n)}${"]".repeat(n)}}`,
    );
    expectAgreement(fileOf(...lines));
  });

  test.each(["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"])("of %s in the current form", (name) => {
    const path = sharedPath("fixtures", name);
    if (path === undefined) return;
    const { entries } = decodeFile(readFileSync(path));
    expect(entries.length).toBeGreaterThan(0);
    expectAgreement(fileOf(...entries.map(encodeEntry)));
  });
});

test("nothing of a body is made, and most lines need no decoding", () => {
  const lines = specimens().map((entry) => scanRecord(encoder.encode(encodeEntry(entry))));
  expect(lines.every((record) => record !== undefined)).toBe(true);
  expect(scanRecord(encoder.encode('{"type":"compaction","summary":"long","id":"a","details":{"id":"no"}}'))).toEqual({
    type: "compaction",
    summary: "",
    id: "a",
  });
});

test.each([
  ["an escaped key", '{"type":"x","\\u0069d":"a"}'],
  ["white space", '{"type":"x", "id":"a"}'],
  ["an array", "[]"],
  ["nothing", ""],
  ["a control character", '{"type":"x","id":"\u0001"}'],
  ["more than a record", '{"type":"x"}{}'],
])("%s is left to the decoder", (_, text) => {
  expect(scanRecord(encoder.encode(text))).toBeUndefined();
});
