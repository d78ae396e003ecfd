import assert from "node:assert/strict";
import { assertStored, chain, headsAnew, idsOf, type LogCase, recordOf, userEntry } from "../log-case.ts";

/** What is handed out, when and in which order, as long as one handle writes. */
export const orderCases: readonly LogCase[] = [
  {
    name: "a new log is empty and has its header",
    async run({ log }) {
      assert.equal(log.header.type, "session");
      assert.equal(log.header.version, 3);
      assert.equal(log.header.cwd, "/w/p");
      assert.deepEqual(log.header.metadata, { purpose: "conformance" });
      assert.deepEqual(await log.changes(), { kind: "grown", heads: [], diagnostics: [] });
    },
  },
  {
    name: "an append hands out what it added, once",
    async run({ log }) {
      const appended = await log.append([chain(["a", "b"])]);
      assert.deepEqual(appended.outcomes, [{ status: "stored" }]);
      assert.equal(appended.change.kind, "grown");
      assert.deepEqual(idsOf(appended.change.heads), ["a", "b"]);
      assert.deepEqual((await log.changes()).heads, []);
    },
  },
  {
    name: "the first call returns everything, later ones only what is new",
    async run(bench) {
      assertStored(await bench.log.append([chain(["a", "b", "c"])]));
      const log = await bench.open();
      assert.deepEqual(idsOf((await log.changes()).heads), ["a", "b", "c"]);
      assert.deepEqual((await log.changes()).heads, []);
      const appended = await log.append([chain(["d"], "c")]);
      assert.deepEqual(idsOf(appended.change.heads), ["d"]);
    },
  },
  {
    name: "how a log ends and what stands before make up the whole",
    async run(bench) {
      const records = chain(Array.from({ length: 2000 }, (_, index) => `e${index}`));
      assertStored(await bench.log.append([records]));
      const log = await bench.open();
      const stretches = [(await log.changes("end")).heads];
      for (let next = log.older?.next(); next; next = log.older?.next()) stretches.unshift([...next.heads]);
      const heads = stretches.flat();
      assert.deepEqual(
        idsOf(heads),
        records.map(({ entry }) => entry.id),
      );
      assert.equal(log.older?.mayHold("label") ?? false, false);
      const bodies = await log.read(heads.map((head) => head.position));
      assert.deepEqual(
        bodies,
        records.map(({ entry }) => entry),
      );
      const appended = await log.append([chain(["last"], "e1999")]);
      assert.deepEqual(idsOf(appended.change.heads), ["last"]);
    },
  },
  {
    name: "an append before the first call hands out everything too",
    async run(bench) {
      assertStored(await bench.log.append([chain(["a", "b"])]));
      const log = await bench.open();
      const appended = await log.append([chain(["c"], "b")]);
      assert.deepEqual(idsOf(appended.change.heads), ["a", "b", "c"]);
    },
  },
  {
    name: "batches keep their order and have one outcome each",
    async run(bench) {
      const batches = [chain(["a", "b"]), [], chain(["c"], "b"), chain(["d", "e"], "c")];
      const appended = await bench.log.append(batches);
      assert.equal(appended.outcomes.length, 4);
      assertStored(appended);
      assert.deepEqual(idsOf(appended.change.heads), ["a", "b", "c", "d", "e"]);
      assert.deepEqual(idsOf(await headsAnew(bench)), ["a", "b", "c", "d", "e"]);
    },
  },
  {
    name: "an append of nothing stores nothing",
    async run({ log }) {
      const appended = await log.append([]);
      assert.deepEqual(appended, { outcomes: [], change: { kind: "grown", heads: [], diagnostics: [] } });
    },
  },
  {
    name: "appends in flight together are kept whole and in the order of the calls",
    async run(bench) {
      const calls = Array.from({ length: 40 }, (_, index) => bench.log.append([chain([`${index}a`, `${index}b`])]));
      for (const appended of await Promise.all(calls)) assertStored(appended);
      const expected = calls.flatMap((_, index) => [`${index}a`, `${index}b`]);
      assert.deepEqual(idsOf(await headsAnew(bench)), expected);
    },
  },
  {
    name: "a log keeps the order of records, whatever their ids, times and parents say",
    async run(bench) {
      const records = [
        recordOf({ ...userEntry("z", "y"), timestamp: "2030-01-01T00:00:00.000Z" }),
        recordOf({ ...userEntry("a", "nowhere"), timestamp: "1999-01-01T00:00:00.000Z" }),
        recordOf(userEntry("y", "y")),
        recordOf(userEntry("m", null)),
      ];
      for (const record of records) assertStored(await bench.log.append([[record]]));
      assert.deepEqual(idsOf(await headsAnew(bench)), ["z", "a", "y", "m"]);
    },
  },
  {
    name: "bodies come in the order asked for, as often as asked for",
    async run({ log }) {
      const { heads } = (await log.append([chain(["a", "b", "c"])])).change;
      const [a, b, c] = heads.map((head) => head.position) as [number, number, number];
      const bodies = await log.read([c, a, c, b]);
      assert.deepEqual(
        bodies.map((entry) => entry.id),
        ["c", "a", "c", "b"],
      );
      assert.deepEqual(await log.read([]), []);
    },
  },
  {
    name: "what was handed out stays as it was while the log grows",
    async run({ log }) {
      const { heads } = (await log.append([chain(["a", "b"])])).change;
      const iterator = heads[Symbol.iterator]();
      assert.equal(iterator.next().value?.id, "a");
      assertStored(await log.append([chain(["c"], "b")]));
      assert.deepEqual(idsOf(heads), ["a", "b"]);
      assert.equal(iterator.next().value?.id, "b");
      assert.equal(iterator.next().done, true);
    },
  },
];
