import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionTreeEntry } from "../../../src/entry/entry.ts";
import { type Repair, repairFile } from "../../../src/storage/jsonl/repair.ts";
import { SessionTree } from "../../../src/tree/session-tree.ts";
import { structureOf } from "../../../src/tree/structure.ts";
import { decodeFile } from "../../support/decode.ts";
import { startProgram } from "../../support/running.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header, opened } from "./records.ts";

const first = JSON.stringify(header);
const time = "2026-01-01T00:00:01.000Z";

function line(id: string, parentId: string | null, text = id): string {
  const message = { role: "user", content: text, timestamp: 0 };
  return JSON.stringify({ type: "message", id, parentId, timestamp: time, message });
}

function mark(type: string, id: string, parentId: string | null, fields: object): string {
  return JSON.stringify({ type, id, parentId, timestamp: time, ...fields });
}

function stored(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

interface Seen {
  readonly codes: readonly string[];
  readonly links: readonly string[];
  readonly leaf: string | null;
  readonly entries: ReadonlyMap<string, SessionTreeEntry>;
}

/** What a reader makes of the file. */
function seen(path: string): Seen {
  const { log, first } = opened(path);
  const tree = new SessionTree(log.header);
  for (const head of first.heads) tree.add(head);
  const heads = [...tree.heads()];
  const entries = log.read(heads.map(({ position }) => position));
  log.close();
  const diagnostics = [...first.diagnostics, ...tree.diagnostics, ...structureOf(tree).diagnostics];
  return {
    codes: diagnostics.map(({ code }) => code),
    links: heads.map(({ id, parentId }) => `${id}<${parentId}`),
    leaf: tree.leaf,
    entries: new Map(entries.map((entry) => [entry.id, entry])),
  };
}

function repaired(path: string): Repair & { readonly status: "repaired" } {
  const repair = repairFile(path);
  if (repair.status !== "repaired") throw new Error(repair.status);
  return repair;
}

describe("a repair", () => {
  test.each([
    [
      "a torn line glued to a whole one",
      [line("a", null), `${line("b", "a").slice(0, 20)}${line("c", "a")}`],
      ["a<null", "c<a"],
      ["salvaged 3 c"],
    ],
    [
      "two whole lines welded",
      [line("a", null) + line("b", "a"), line("c", "b")],
      ["a<null", "b<a", "c<b"],
      ["salvaged 2 a", "salvaged 2 b"],
    ],
    [
      "a torn line whose head can be read",
      [line("a", null), line("b", "a").slice(0, -8), line("c", "b")],
      ["a<null", "b<a", "c<b"],
      ["emptied 3 b"],
    ],
    [
      "a torn line with a head, glued",
      [line("a", null), line("b", "a").slice(0, -8) + line("c", "b")],
      ["a<null", "b<a", "c<b"],
      ["emptied 3 b", "salvaged 3 c"],
    ],
    [
      "a body that can't be used",
      [line("a", null), mark("message", "b", "a", { message: 1, more: 2 }), line("c", "b")],
      ["a<null", "b<a", "c<b"],
      ["emptied 3 b"],
    ],
    ["an orphan", [line("a", null), "{ lost", line("c", "b")], ["a<null", "c<a"], ["dropped 3 ", "relinked 4 c"]],
    ["an orphan in front", [line("c", "b"), line("d", "c")], ["c<null", "d<c"], ["relinked 2 c"]],
    ["an entry that is its own parent", [line("a", null), line("b", "b")], ["a<null", "b<a"], ["relinked 3 b"]],
    [
      "a cycle",
      [line("a", null), line("b", "c"), line("c", "b"), line("d", "c")],
      ["a<null", "b<a", "c<b", "d<c"],
      ["relinked 3 b"],
    ],
    ["an orphan after its own child", [line("b", "c"), line("c", "nowhere")], ["b<c", "c<null"], ["relinked 3 c"]],
    [
      "what is no object",
      [line("a", null), "42", "[]", '"x"', "null"],
      ["a<null"],
      ["dropped 3 ", "dropped 4 ", "dropped 5 ", "dropped 6 "],
    ],
    ["NULs", [`\0\0${line("a", null)}`, "\0\0\0", line("b", "a")], ["a<null", "b<a"], ["cleaned 2 ", "cleaned 3 "]],
    ["a second header", [line("a", null), first, line("b", "a")], ["a<null", "b<a"], ["dropped 3 "]],
    [
      "a repeated id",
      [line("a", null, "old"), line("b", "a"), line("a", null, "new")],
      ["b<a", "a<null"],
      ["dropped 2 a"],
    ],
    [
      "a leaf that names nothing",
      [line("a", null), mark("leaf", "l", null, { targetId: "x" })],
      ["a<null", "l<a"],
      ["relinked 3 l"],
    ],
    [
      "a label behind nothing",
      [line("a", null), mark("label", "l", "x", { targetId: "a", label: "y" })],
      ["a<null", "l<a"],
      ["relinked 3 l"],
    ],
    [
      "a mark after its own child",
      [line("a", null), mark("label", "l", "b", { targetId: "a" }), line("b", "l")],
      ["a<null", "l<a", "b<l"],
      ["relinked 3 l"],
    ],
  ])("of %s", (_what, lines, links, changes) => {
    const content = `${[first, ...lines].join("\n")}\n`;
    const path = stored(content);
    const repair = repaired(path);
    const after = seen(path);
    expect(after).toMatchObject({ codes: [], links });
    expect(repair.changes.map(({ what, line, entryId }) => `${what} ${line} ${entryId ?? ""}`)).toEqual(changes);
    expect(readFileSync(repair.backup, "utf8")).toBe(content);
    expect(repairFile(path)).toEqual({ status: "sound" });
  });

  test.each([30, -8])("CR-02 drops a torn tail (%i) and keeps the file it stood in", (end) => {
    const content = `${first}\n${line("a", null)}\n${line("b", "a").slice(0, end)}`;
    const path = stored(content);
    const { changes, backup } = repaired(path);
    expect(changes).toEqual([{ what: "dropped", line: 3 }]);
    expect(readFileSync(path, "utf8")).toBe(`${first}\n${line("a", null)}\n`);
    expect(readFileSync(backup, "utf8")).toBe(content);
  });

  test("leaves every byte of the lines that need none", () => {
    const odd = '{ "n": 1.0, "type":"future","id":"x","parentId":null,"timestamp":"t" }\r';
    const path = stored(`\ufeff${first}\n\n${odd}\n{torn\n${line("b", "x")}\n`);
    repaired(path);
    expect(readFileSync(path, "utf8")).toBe(`\ufeff${first}\n\n${odd}\n${line("b", "x")}\n`);
  });

  test("gives ids to records that have none, each a child of the one before", () => {
    const message = { role: "user", content: "no id" };
    const idless = JSON.stringify({ type: "message", timestamp: time, message });
    const path = stored(`${[first, line("a", null), idless, idless, line("b", "a")].join("\n")}\n`);
    repaired(path);
    const { codes, links, entries } = seen(path);
    const [, one, two] = [...entries.keys()];
    expect(codes).toEqual([]);
    expect(links).toEqual(["a<null", `${one}<a`, `${two}<${one}`, "b<a"]);
    expect(entries.get(two as string)).toMatchObject({ message });
  });

  test("keeps what is known of a record whose body can't be used", () => {
    const path = stored(`${first}\n${mark("message", "b", null, { message: 1, more: 2 })}\n`);
    repaired(path);
    expect(seen(path).entries.get("b")).toEqual({
      ...{ type: "damaged", originalType: "message", id: "b", parentId: null, timestamp: time },
      ...{ message: 1, more: 2 },
    });
  });

  test("lets a summary keep nothing where what it kept is lost", () => {
    const compaction = mark("compaction", "c", "a", { summary: "s", firstKeptEntryId: "lost", tokensBefore: 1 });
    const path = stored(`${first}\n${line("a", null)}\n{torn\n${compaction}\n`);
    repaired(path);
    expect(seen(path).entries.get("c")).toMatchObject({ firstKeptEntryId: "c" });
  });

  test("of an older version migrates it first", () => {
    const v1 = JSON.stringify({ ...header, version: 1 });
    const idless = JSON.stringify({ type: "message", timestamp: time, message: { role: "user", content: "x" } });
    const path = stored(`${v1}\n${idless}\n{torn\n`);
    repaired(path);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".v1.bak"))).toHaveLength(1);
    expect(seen(path)).toMatchObject({ codes: [], links: ["00000002<null"] });
  });

  test("writes nothing where nothing is damaged", () => {
    const content = `${first}\n${line("a", null)}\n${line("b", "a")}`;
    const path = stored(content);
    const { mtimeMs } = statSync(path);
    expect(repairFile(path)).toEqual({ status: "sound" });
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(dirname(path))).toEqual(["session.jsonl"]);
  });

  test("is refused while another process has the session, and of what is none", async () => {
    const path = stored(`${first}\n{torn\n`);
    await using other = startProgram(join(import.meta.dirname, "programs/hold-lease.ts"), [
      path,
      "s1",
      process.platform,
    ]);
    await other.nextLine();
    expect(() => repairFile(path)).toThrowError(expect.objectContaining({ code: "busy" }));
    expect(() => repairFile(stored("{torn\n"))).toThrowError(expect.objectContaining({ code: "invalid_session" }));
    expect(() => repairFile(stored(JSON.stringify({ ...header, version: 4 })))).toThrowError(
      expect.objectContaining({ code: "unsupported_version" }),
    );
  });

  test("of a line torn again and again ends", () => {
    const path = stored(`${first}\n${'{"a":'.repeat(200_000)}\n${line("a", null)}\n`);
    repaired(path);
    expect(seen(path)).toMatchObject({ codes: [], links: ["a<null"] });
  });
});

describe("any damage", () => {
  const ids = Array.from({ length: 12 }, (_, index) => `e${index}`);
  const reference = fc.constantFrom<string | null>(null, "nowhere", ...ids);
  const record = fc
    .record({
      id: fc.constantFrom(...ids),
      parentId: reference,
      targetId: reference,
      type: fc.nat(5),
      text: fc.string(),
    })
    .map(({ id, parentId, targetId, type, text }) => {
      if (type === 0) return mark("label", id, parentId, { targetId: targetId ?? "e0", label: text });
      if (type === 1) return mark("leaf", id, parentId, { targetId });
      if (type === 2)
        return mark("compaction", id, parentId, { summary: text, firstKeptEntryId: targetId, tokensBefore: 1 });
      if (type === 3) return mark("future", id, parentId, { text });
      return line(id, parentId, text);
    });
  const garbage = fc.constantFrom("42", "{torn", "", "\0\0", first, '{"type":"message"}', '{"type":"x","message":{}}');
  const lines = fc.array(fc.oneof({ weight: 5, arbitrary: record }, { weight: 1, arbitrary: garbage }), {
    maxLength: 25,
  });
  const wound = fc.record({
    at: fc.nat(),
    length: fc.nat(40),
    bytes: fc.constantFrom("", "\n", "\0", "\0\0\0", "\xff", '{"', '"', "}", "x"),
  });

  function wounded(content: string, wounds: readonly { at: number; length: number; bytes: string }[]): Buffer {
    let bytes = Buffer.from(content);
    for (const { at, length, bytes: put } of wounds) {
      const from = bytes.length === 0 ? 0 : at % bytes.length;
      bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(put, "latin1"), bytes.subarray(from + length)]);
    }
    return bytes;
  }

  test("is repaired to a session without a diagnostic that has every entry from before", () => {
    fc.assert(
      fc.property(lines, fc.array(wound, { maxLength: 6 }), (drawn, wounds) => {
        const content = Buffer.concat([Buffer.from(`${first}\n`), wounded(drawn.join("\n"), wounds)]);
        const path = stored(content);
        const before = seen(path);
        const repair = repairFile(path);
        if (repair.status === "repaired") expect(readFileSync(repair.backup)).toEqual(content);
        else expect(readFileSync(path)).toEqual(content);
        const after = seen(path);
        expect(after.codes).toEqual([]);
        expect([...after.entries.keys()]).toEqual(expect.arrayContaining([...before.entries.keys()]));
        expect(decodeFile(readFileSync(path)).diagnostics).toEqual([]);
        expect(repairFile(path)).toEqual({ status: "sound" });
      }),
      { numRuns: 400 },
    );
  });
});
