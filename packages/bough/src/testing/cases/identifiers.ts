import assert from "node:assert/strict";
import { assertStored, everything, headsAnew, idsOf, type LogCase, recordOf, userEntry } from "../log-case.ts";

const awkwardIds = [
  ...["doc1", "doc10", "doc", "doc1 ", "Doc1", "DOC1"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty"],
  ...[".", "..", "...", "a/b", "a\\b", "../../escape", "/etc/passwd", "C:\\x", "a:b", "a*?", "~", "%2e", "%", "_", "-"],
  ...["CON", "con", "nul.txt", "LPT1", "trailing.", "trailing ", ".hidden", ".json", "x.json", ".tmp-1"],
  ...["é", "e\u0301", "日本", "🔥", "\ud83d", "a\nb", "a\u0000b", "a\u2028b", '"', "'", " "],
  ...["n".repeat(255), "n".repeat(300), `${"n".repeat(299)}m`, "日".repeat(100), "0000000001-a", "1", "01"],
];

/** Ids are opaque: each is its own, whatever a file system, a map or a query would make of it. */
export const identifierCases: readonly LogCase[] = [
  {
    name: "awkward ids stay apart and come back equal",
    async run(bench) {
      const entries = awkwardIds.map((id, index) => userEntry(id, awkwardIds[index - 1] ?? null, `text ${index}`));
      for (const entry of entries) assertStored(await bench.log.append([[recordOf(entry)]]));
      assert.deepEqual(await everything(await bench.open()), entries);
    },
  },
  {
    name: "an id appended twice with equal content is stored and counts once",
    async run(bench) {
      const record = recordOf(userEntry("a", null, "same"));
      assertStored(await bench.log.append([[record], [recordOf(userEntry("b", "a"))]]));
      assertStored(await bench.log.append([[record]]));
      const entries = new Map((await everything(await bench.open())).map((entry) => [entry.id, entry]));
      assert.deepEqual([...entries.keys()].sort(), ["a", "b"]);
      assert.deepEqual(entries.get("a"), record.entry);
    },
  },
  {
    name: "an id appended again with other content is refused, or the last counts",
    async run(bench) {
      const first = userEntry("a", null, "first");
      const second = userEntry("a", null, "second");
      assertStored(await bench.log.append([[recordOf(first)]]));
      const [outcome] = (await bench.log.append([[recordOf(second)]])).outcomes;
      if (outcome?.status === "failed") {
        assert.equal(outcome.error.code, "already_exists");
        assert.equal(outcome.stored, 0);
      }
      assertStored(await bench.log.append([[recordOf(userEntry("b", "a"))]]));
      const entries = new Map((await everything(await bench.open())).map((entry) => [entry.id, entry]));
      assert.deepEqual(entries.get("a"), outcome?.status === "stored" ? second : first);
    },
  },
  {
    name: "an id may come twice within one batch",
    async run(bench) {
      const record = recordOf(userEntry("a", null));
      assertStored(await bench.log.append([[record, record]]));
      assert.deepEqual([...new Set(idsOf(await headsAnew(bench)))], ["a"]);
    },
  },
];
