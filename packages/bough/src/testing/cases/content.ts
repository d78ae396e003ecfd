import assert from "node:assert/strict";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { headContent, headOf } from "../../entry/head.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { encodeEntry } from "../../format/encode.ts";
import {
  assertFrozen,
  assertStored,
  everything,
  type LogBench,
  type LogCase,
  recordOf,
  userEntry,
} from "../log-case.ts";
import { specimens } from "../specimens.ts";

const texts: Readonly<Record<string, string>> = {
  "a line break": "one\ntwo\r\nthree\rfour",
  "line separators": "one\u2028two\u2029three\u0085four",
  "a NUL": "one\u0000two",
  "lone surrogates": "\ud83d half \udd25",
  "wide characters": "日本語 🔥 e\u0301 \u200f\u202e",
  "a byte order mark": "\ufeffone",
  "what looks like a record": '"}\n{"type":"message","id":"b","parentId":null}\n',
  "a million characters": "x".repeat(1_000_000),
  "a million wide characters": "🔥".repeat(500_000),
};

/** What an entry says comes back as it was said. */
export const contentCases: readonly LogCase[] = [
  {
    name: "entries of every type come back equal, their heads say what their bodies say",
    async run(bench) {
      const entries = specimens();
      assertStored(await bench.log.append([entries.map(recordOf)]));
      await assertHolds(bench, entries);
    },
  },
  ...Object.entries(texts).map(([name, text]) => ({
    name: `text with ${name} comes back equal`,
    async run(bench: LogBench) {
      const entries = [userEntry("a", null, text), userEntry("b", "a", "after")];
      assertStored(await bench.log.append(entries.map((entry) => [recordOf(entry)])));
      await assertHolds(bench, entries);
    },
  })),
  {
    name: "members that look like JavaScript's own come back as data",
    async run(bench) {
      const json =
        '{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x","data":{"__proto__":{"polluted":true},"constructor":1,"toString":null}}';
      const entry = JSON.parse(json) as SessionTreeEntry;
      assertStored(await bench.log.append([[{ ...recordOf(entry), json }]]));
      await assertHolds(bench, [entry]);
      assert.equal("polluted" in {}, false);
    },
  },
  {
    name: "numbers that JavaScript can't hold are written as they came, after reading",
    async run(bench) {
      const data = '{"n":12345678901234567890,"list":[1e999,0.12345678901234567890,1]}';
      const json = `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x","data":${data}}`;
      const entry = jsonValue(json) as SessionTreeEntry;
      assertStored(await bench.log.append([[{ head: headContent(entry), entry, json }]]));
      const [read] = await everything(await bench.open());
      assert.equal(encodeEntry(read as SessionTreeEntry), json);
    },
  },
  {
    name: "ten thousand nested arrays come back",
    async run(bench) {
      const data = "[".repeat(10_000) + "]".repeat(10_000);
      const json = `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"deep","data":${data}}`;
      const deep = JSON.parse(json) as SessionTreeEntry;
      assertStored(await bench.log.append([[{ head: headContent(deep), entry: deep, json }]]));
      const [entry] = await everything(await bench.open());
      assert.equal(depthOf((entry as { data?: unknown }).data), 10_000);
    },
  },
  {
    name: "what reads return is frozen",
    async run(bench) {
      assertStored(await bench.log.append([specimens().map(recordOf)]));
      for (const entry of await everything(await bench.open())) assertFrozen(entry);
    },
  },
  {
    name: "changing an entry after its append changes nothing",
    async run(bench) {
      const entry = { ...userEntry("a", null, "before") } as { message: { content: string } } & SessionTreeEntry;
      const batch = [recordOf(entry)];
      const appended = await bench.log.append([batch]);
      entry.message.content = "after";
      batch.pop();
      const [own] = await bench.log.read(appended.change.heads.map((head) => head.position));
      assert.deepEqual(own, userEntry("a", null, "before"));
      assert.deepEqual(await everything(await bench.open()), [userEntry("a", null, "before")]);
    },
  },
  {
    name: "a thousand entries in one batch come back",
    async run(bench) {
      const entries = Array.from({ length: 1000 }, (_, index) =>
        userEntry(`e${index}`, index === 0 ? null : `e${index - 1}`, `text ${index}`),
      );
      assertStored(await bench.log.append([entries.map(recordOf)]));
      await assertHolds(bench, entries);
    },
  },
];

async function assertHolds(bench: LogBench, entries: readonly SessionTreeEntry[]): Promise<void> {
  for (const log of [await bench.open(), await bench.open()]) {
    const { kind, heads, diagnostics } = await log.changes();
    assert.equal(kind, "grown");
    assert.deepEqual(diagnostics, []);
    const bodies = await log.read(heads.map((head) => head.position));
    assert.deepEqual(bodies, entries);
    for (const [index, head] of heads.entries()) {
      assert.deepEqual(head, headOf(bodies[index] as SessionTreeEntry, head.position));
    }
  }
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let inner = value; Array.isArray(inner); inner = inner[0]) depth++;
  return depth;
}
