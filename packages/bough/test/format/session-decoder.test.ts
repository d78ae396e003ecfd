import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Line } from "../../src/format/lines.ts";
import { SessionDecoder } from "../../src/format/session-decoder.ts";
import { expand } from "../../src/testing/notation.ts";
import { specimens } from "../../src/testing/specimens.ts";
import { decodeFile, fileOf, linesOf } from "../support/decode.ts";
import { sharedPath } from "../support/shared.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" };
const timestamp = "2026-01-01T00:00:01.000Z";
const user = (id: string, parentId: string | null, content: unknown = "hi") => ({
  ...{ type: "message", id, parentId, timestamp },
  message: { role: "user", content, timestamp: 1 },
});
const encoded = (text: string) => new TextEncoder().encode(text);
const codes = (file: string | Uint8Array) => decodeFile(file).diagnostics.map(({ code }) => code);
const ids = (file: string | Uint8Array) => decodeFile(file).entries.map(({ id }) => id);

describe("a sound session", () => {
  test("pi-2 pi-3 omp-2 comes out as its header and its entries", () => {
    const { decoder, entries, diagnostics } = decodeFile(fileOf(header, user("u1", null), user("u2", "u1")));
    expect(decoder.header).toEqual(header);
    expect([decoder.version, decoder.access]).toEqual([3, "append"]);
    expect(entries).toEqual([user("u1", null), user("u2", "u1")]);
    expect(diagnostics).toEqual([]);
  });

  test("pi-6 takes ids of any form", () => {
    const names = [
      "msg_1",
      "0a1b2c3d",
      "01890a5d-ac96-774b-bcce-b302099a8057",
      "__proto__",
      "a/b",
      "é🔥",
      "x".repeat(300),
    ];
    expect(ids(fileOf(header, ...names.map((id) => user(id, null))))).toEqual(names);
  });

  test("may be its header alone, with or without a newline", () => {
    for (const file of [fileOf(header), fileOf(header).trimEnd()]) {
      expect(decodeFile(file)).toMatchObject({ entries: [], diagnostics: [], decoder: { header } });
    }
  });

  test("pi-30 its last line may lack the newline", () => {
    const { entries, diagnostics, lines } = decodeFile(fileOf(header, user("u1", null)).trimEnd());
    expect(entries).toEqual([user("u1", null)]);
    expect(diagnostics).toEqual([]);
    expect(lines[0]?.terminated).toBe(false);
  });

  test("pi-34 may have a byte order mark, CRLF and blank lines", () => {
    const file = `\uFEFF\n${fileOf(header, "  \t", user("u1", null), "", user("u2", "u1"), "").replaceAll("\n", "\r\n")}`;
    expect(decodeFile(file)).toMatchObject({ entries: [{ id: "u1" }, { id: "u2" }], diagnostics: [] });
  });

  test("pi-41 may hold a message whose content is null", () => {
    expect(decodeFile(fileOf(header, user("u1", null, null)))).toMatchObject({
      entries: [{ message: { content: null } }],
      diagnostics: [],
    });
  });

  test("DL-14 pi-17 keeps text as it is stored, halves of pairs and other separators included", () => {
    const text = "ok \ud83d\u2028\u2029\uFEFF\0";
    expect(decodeFile(fileOf(header, user("u1", null, text))).entries).toEqual([user("u1", null, text)]);
  });

  test("may leave out parent and time, which are then null and blank", () => {
    const { entries, diagnostics } = decodeFile(fileOf(header, { type: "custom", id: "a", customType: "x" }));
    expect(entries).toEqual([{ type: "custom", id: "a", parentId: null, timestamp: "", customType: "x" }]);
    expect(diagnostics).toEqual([]);
  });

  test("SE-05 builds plain data, whatever the keys are called", () => {
    const stored =
      '{"type":"custom","id":"x1","parentId":null,"timestamp":"t","customType":"t","data":{"lc":2,"type":"constructor","id":["pkg","Map"],"__proto__":{"polluted":true},"constructor":{"prototype":{"p":1}}}}';
    const { entries } = decodeFile(fileOf(header, stored));
    expect(JSON.stringify(entries[0])).toBe(stored);
    expect("polluted" in {}).toBe(false);
  });

  test("omp-11 may hold a line of sixteen megabytes", () => {
    const text = "🔥x\\".repeat(3_000_000);
    expect(decodeFile(fileOf(header, user("u1", null, text))).entries).toEqual([user("u1", null, text)]);
  });

  test("may nest ten thousand levels deep", () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    const record = JSON.stringify(user("u1", null, "@")).replace('"@"', deep);
    const { decoder, diagnostics, lines } = decodeFile(fileOf(header, record));
    expect(diagnostics).toEqual([]);
    expect(decoder.redecode(lines[0]?.bytes as Uint8Array, { id: "u1", parentId: null }).type).toBe("message");
  });
});

describe.skipIf(sharedPath("fixtures") === undefined)(
  "MG-08 sessions of the first version (skipped where they are missing)",
  () => {
    const fixture = (name: string) => decodeFile(readFileSync(sharedPath("fixtures", name) as string));

    test.each([
      ["pi-v1-large-session.jsonl", 1018],
      ["pi-v1-before-compaction.jsonl", 1002],
    ])("%s is read without a diagnostic", (name, count) => {
      const { decoder, entries, diagnostics, lines } = fixture(name);
      expect(diagnostics).toEqual([]);
      expect(entries.length).toBe(count);
      expect(decoder).toMatchObject({ version: 1, access: "migrate", header: { version: 3, provider: "anthropic" } });
      for (const [index, entry] of entries.entries()) {
        expect(entry.parentId).toBe(entries[index - 1]?.id ?? null);
        expect(decoder.redecode(lines[index]?.bytes as Uint8Array, entry)).toEqual(entry);
      }
    });

    test("pi-22 its compactions keep what they kept", () => {
      const stored = readFileSync(sharedPath("fixtures", "pi-v1-before-compaction.jsonl") as string, "utf8").split(
        "\n",
      );
      const { entries } = fixture("pi-v1-before-compaction.jsonl");
      const kept = entries.flatMap((entry) => (entry.type === "compaction" ? [entry.firstKeptEntryId] : []));
      const indexes = stored.filter((line) => line.includes('"firstKeptEntryIndex"')).map((line) => JSON.parse(line));
      const compactions = indexes.filter(({ type }) => type === "compaction");
      expect(kept.length).toBe(2);
      expect(kept).toEqual(compactions.map(({ firstKeptEntryIndex }) => entries[firstKeptEntryIndex - 1]?.id));
    });
  },
);

describe("CR-01 pi-29 omp-74 a torn tail costs the torn record", () => {
  const first = fileOf(header, user("u1", null));
  const last: readonly SessionTreeEntry[] = [
    ...specimens(),
    { type: "custom", id: "é", parentId: "u1", timestamp, customType: "🔥", data: "日本語\u2028" },
  ];

  test.each(last.map((entry) => [encodeEntry(entry), entry] as const))("cut at every byte of %s", (json, entry) => {
    const whole = encoded(`${first}${json}`);
    const start = encoded(first).length;
    for (let cut = start + 1; cut < whole.length; cut++) {
      const { entries, diagnostics } = decodeFile(whole.subarray(0, cut));
      expect(entries).toEqual([user("u1", null)]);
      expect(diagnostics).toMatchObject([{ code: "torn_tail", line: 3, byteStart: start, byteEnd: cut }]);
    }
    expect(decodeFile(whole)).toMatchObject({ entries: [{ id: "u1" }, { id: entry.id }], diagnostics: [] });
  });

  test("what is appended after it on a line of its own is read", () => {
    const json = encodeEntry(specimens()[2] as SessionTreeEntry);
    for (let cut = 1; cut < json.length; cut++) {
      const { entries, diagnostics } = decodeFile(`${first}${json.slice(0, cut)}\n${fileOf(user("u2", "u1"))}`);
      expect(entries.at(-1)).toEqual(user("u2", "u1"));
      expect(diagnostics.length).toBe(1);
      expect(diagnostics[0]?.code).toBe(entries.length === 3 ? "damaged_entry" : "malformed_line");
    }
  });

  test("given again once it is complete it keeps its number", () => {
    const decoder = new SessionDecoder();
    const [head, torn] = linesOf(first.slice(0, -9)) as [Line, Line];
    const [, whole, next] = linesOf(`${first}x\n`) as [Line, Line, Line];
    decoder.decode(head);
    expect(decoder.decode(torn).diagnostics).toMatchObject([{ code: "torn_tail", line: 2 }]);
    expect(decoder.decode(whole).entry).toEqual(user("u1", null));
    expect(decoder.decode(next).diagnostics).toMatchObject([{ code: "malformed_line", line: 3 }]);
  });

  test("the newline that ends a whole last line later is no line of its own", () => {
    const decoder = new SessionDecoder();
    const [head, unended] = linesOf(first.slice(0, -1)) as [Line, Line];
    decoder.decode(head);
    decoder.decode(unended);
    const { end } = unended;
    decoder.decode({ bytes: new Uint8Array(), start: end, end: end + 1, terminated: true });
    const bad = { bytes: encoded("x"), start: end + 1, end: end + 3, terminated: true };
    expect(decoder.decode(bad).diagnostics).toMatchObject([{ code: "malformed_line", line: 3 }]);
  });
});

describe("NULs", () => {
  const sound = fileOf(header, user("u1", null));

  test("CR-04 after the last record are reported and cost nothing", () => {
    for (const file of [`${sound}\0\0\0\0`, `${sound}\0\0\n`, sound.replace(/\n$/, "\0\0\0")]) {
      expect(ids(file)).toEqual(["u1"]);
      expect(codes(file)).toEqual(["nul_tail"]);
    }
  });

  test("in front of a record that was appended after them cost nothing either", () => {
    const file = `${sound}\0\0\0${fileOf(user("u2", "u1"))}`;
    expect(ids(file)).toEqual(["u1", "u2"]);
    expect(decodeFile(file).diagnostics).toMatchObject([{ code: "nul_tail", line: 3, byteStart: sound.length }]);
  });

  test("after a torn record leave it torn", () => {
    expect(codes(`${sound.slice(0, -9)}\0\0`)).toEqual(["nul_tail", "torn_tail"]);
  });

  test("CR-04 alone are no session", () => {
    expect(decodeFile("\0".repeat(10_000)).decoder.header).toBeUndefined();
  });
});

describe("damage in the middle", () => {
  test("CR-02 pi-32 omp-75 a record whose head can be read keeps its place", () => {
    const cut = '{"type":"custom","id":"x1","parentId":"u1","custo';
    const file = fileOf(header, user("u1", null), cut, user("u2", "x1"));
    const { entries, diagnostics } = decodeFile(file);
    expect(entries[1]).toEqual({ type: "damaged", id: "x1", parentId: "u1", timestamp: "", originalType: "custom" });
    expect(entries.map(({ id }) => id)).toEqual(["u1", "x1", "u2"]);
    const byteStart = fileOf(header, user("u1", null)).length;
    const place = { line: 3, byteStart, byteEnd: byteStart + cut.length + 1 };
    expect(diagnostics).toEqual([{ code: "damaged_entry", ...place, entryId: "x1", message: expect.any(String) }]);
  });

  test("CR-02 pi-32 a record without one costs itself", () => {
    const broken = [
      "{",
      "garbage",
      '{"id":"x1","parentId":null,',
      '{"type":"custom","id":"x1"',
      '{"type":"session","id":"x","parentId":null,',
    ];
    const { entries, diagnostics } = decodeFile(fileOf(header, user("u1", null), ...broken, user("u2", "u1")));
    expect(entries.map(({ id }) => id)).toEqual(["u1", "u2"]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual(
      [3, 4, 5, 6, 7].map((line) => ["malformed_line", line]),
    );
  });

  test("two records on one line keep the place of the first", () => {
    const glued = `${JSON.stringify(user("u1", null))}${JSON.stringify(user("u2", "u1"))}`;
    expect(decodeFile(fileOf(header, glued)).entries).toMatchObject([{ type: "damaged", id: "u1", timestamp }]);
  });

  test.each<[string, object]>([
    ["message", { message: "text" }],
    ["message", { message: null }],
    ["message", {}],
    ["message", { message: { content: "x" } }],
    ["message", { message: { role: 1 } }],
    ["message", { message: ["x"] }],
    ["compaction", { tokensBefore: 1 }],
    ["compaction", { summary: null }],
    ["branch_summary", { fromId: "a" }],
    ["custom", { data: 1 }],
    ["custom_message", { content: "x" }],
    ["model_change", {}],
    ["active_tools_change", { activeToolNames: "read" }],
    ["ttsr_injection", { injectedRules: [1] }],
    ["context_edit", { replacement: null }],
    ["label", { label: "x" }],
    ["leaf", {}],
  ])("DL-11 of a %s with the body %j only the head is kept", (type, body) => {
    const { decoder, entries, diagnostics, lines } = decodeFile(
      fileOf(header, { type, id: "a", parentId: "p", timestamp, ...body }),
    );
    const damaged = { type: "damaged", id: "a", parentId: "p", timestamp, originalType: type };
    expect(entries).toEqual([damaged]);
    expect(diagnostics).toMatchObject([{ code: "damaged_entry", entryId: "a", line: 2 }]);
    expect(decoder.redecode(lines[0]?.bytes as Uint8Array, { id: "a", parentId: "p" })).toEqual(damaged);
  });

  test("pi-33 lines that are no objects are reported", () => {
    const file = fileOf(header, user("u1", null), "42", '"x"', "[]", "null", user("u2", "u1"));
    expect(ids(file)).toEqual(["u1", "u2"]);
    expect(codes(file)).toEqual(Array(4).fill("not_an_object"));
  });

  test.each([{ type: 1 }, { type: "" }, { id: "" }, { id: 7 }, { id: null }, { parentId: 7 }, { parentId: {} }])(
    "a record with the head %j has none",
    (head) => {
      expect(codes(fileOf(header, { ...user("u1", null), ...head }))).toEqual(["malformed_line"]);
    },
  );

  test("bytes that are no UTF-8 cost the characters they stood for", () => {
    const [before, after] = fileOf(header, user("u1", null, "a@b")).split("@") as [string, string];
    const file = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    expect(decodeFile(file).entries).toEqual([user("u1", null, "a\uFFFDb")]);
    expect(decodeFile(file).diagnostics).toMatchObject([{ code: "invalid_utf8", line: 2, entryId: "u1" }]);
  });

  test("a byte order mark inside the file is damage", () => {
    expect(codes(fileOf(header, `\uFEFF${JSON.stringify(user("u1", null))}`, "\uFEFF"))).toEqual(
      Array(2).fill("malformed_line"),
    );
  });

  test("BR-24 pi-40 of several headers the first counts", () => {
    const { decoder, entries, diagnostics } = decodeFile(
      expand('H(id:s2,parentSession:s1)\nH(id:s1)\nU(u1,-,"copied")\nA(a1,u1,"own")'),
    );
    expect(decoder.header).toMatchObject({ id: "s2", parentSession: "s1" });
    expect(entries.map(({ id }) => id)).toEqual(["u1", "a1"]);
    expect(diagnostics).toMatchObject([{ code: "second_header", line: 2 }]);
  });

  test("BR-22 entries with one id all come out; which counts is for the log", () => {
    expect(ids(fileOf(header, user("u1", null), user("u1", null)))).toEqual(["u1", "u1"]);
  });
});

describe("before the header", () => {
  test("damage is reported and passed over", () => {
    const file = fileOf("garbage", "[1]", '{"type":"custom","id":"x","parentId":null,', header, user("u1", null));
    expect(decodeFile(file).decoder.header).toEqual(header);
    expect(codes(file)).toEqual(["malformed_line", "not_an_object", "malformed_line"]);
  });

  test("DL-01 pi-20 omp-76 the first object must be one", () => {
    const decoder = new SessionDecoder({ path: "/s/events.jsonl" });
    const [line] = linesOf('{"event":"tick","n":1}\n') as [Line];
    expect(() => decoder.decode(line)).toThrow(
      expect.objectContaining({ code: "invalid_session", details: { path: "/s/events.jsonl", reason: "no_header" } }),
    );
    expect(decoder.header).toBeUndefined();
  });

  test("a header is looked for behind a hundred lines that are none, and no further", () => {
    const some = Array.from({ length: 50 }, () => ["a log says what happened", "[1]"]).flat();
    expect(decodeFile(fileOf(...some, header)).decoder.header).toEqual(header);
    for (const more of ["one too many", "[1]"]) {
      expect(() => decodeFile(fileOf(...some, more, header))).toThrow(
        expect.objectContaining({ code: "invalid_session", details: { reason: "no_header" } }),
      );
    }
  });

  test("pi-19 an empty file has none", () => {
    for (const file of ["", "\n\n", "\uFEFF"]) expect(decodeFile(file).decoder.header).toBeUndefined();
  });
});

describe("reading a line again", () => {
  const { decoder, lines } = decodeFile(fileOf(header, user("u1", null), user("u2", "u1")));
  const bytes = lines[1]?.bytes as Uint8Array;

  test("pi-65 gives the same entry, frozen through and through", () => {
    const entry = decoder.redecode(bytes, { id: "u2", parentId: "u1" });
    expect(entry).toEqual(user("u2", "u1"));
    expect(Object.isFrozen(entry) && entry.type === "message" && Object.isFrozen(entry.message)).toBe(true);
  });

  test("gives a damaged entry where the line holds another or none", () => {
    const damaged = { type: "damaged", id: "u1", parentId: null };
    expect(decoder.redecode(bytes, { id: "u1", parentId: null })).toMatchObject({
      ...damaged,
      originalType: "message",
    });
    for (const text of ["", "garbage", "42", "\0\0"]) {
      expect(decoder.redecode(encoded(text), { id: "u1", parentId: null })).toEqual({
        ...damaged,
        timestamp: "",
        originalType: "unknown",
      });
    }
  });

  test("agrees with the first reading for every type, whole or cut", () => {
    for (const entry of specimens()) {
      const json = encodeEntry(entry);
      for (const text of [json, json.slice(0, -5)]) {
        const first = decodeFile(fileOf(header, text));
        const again = first.decoder.redecode(encoded(text), { id: entry.id, parentId: entry.parentId });
        expect([again]).toEqual(first.entries);
      }
    }
  });
});

describe("whatever happens to bytes after the header", () => {
  const sound = encoded(fileOf(header, ...specimens().map(encodeEntry)));
  const first = encoded(fileOf(header)).length;
  const hit = fc.record({
    at: fc.integer({ min: first, max: sound.length - 1 }),
    byte: fc.integer({ min: 0, max: 255 }),
  });

  test("nothing throws, untouched lines come out, and a line read again says the same", () => {
    fc.assert(
      fc.property(fc.array(hit, { minLength: 1, maxLength: 8 }), (hits) => {
        const bytes = sound.slice();
        for (const { at, byte } of hits) bytes[at] = byte;
        const { decoder, entries, diagnostics, lines } = decodeFile(bytes);
        const stored = new Set(linesOf(bytes).map(({ bytes: line }) => new TextDecoder().decode(line)));
        for (const entry of specimens()) if (stored.has(encodeEntry(entry))) expect(entries).toContainEqual(entry);
        for (const [index, entry] of entries.entries()) {
          expect(decoder.redecode(lines[index]?.bytes as Uint8Array, entry)).toEqual(entry);
        }
        for (const { byteStart = -1, byteEnd = -1, line = 0 } of diagnostics) {
          expect(linesOf(bytes)[line - 1]).toMatchObject({ start: byteStart, end: byteEnd });
        }
      }),
    );
  });
});
