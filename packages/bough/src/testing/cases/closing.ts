import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import type { EntryLog } from "../../session/entry-log.ts";
import { assertStored, chain, everything, idsOf, type LogCase } from "../log-case.ts";

/** Every verb with every sort of argument, for promises that hold whatever is asked. */
const verbs: Readonly<Record<string, (log: EntryLog) => Promise<unknown>>> = {
  "changes()": (log) => log.changes(),
  "read of nothing": (log) => log.read([]),
  "read of an entry": (log) => log.read([0]),
  "append of nothing": (log) => log.append([]),
  "append of an empty batch": (log) => log.append([[]]),
  "append of an entry": (log) => log.append([chain(["z"])]),
  "sync()": (log) => log.sync(),
};

/** How a log ends. */
export const closingCases: readonly LogCase[] = [
  ...Object.entries(verbs).map(([verb, call]) => ({
    name: `AP-02 ${verb} rejects with closed after close`,
    async run({ log }: { readonly log: EntryLog }) {
      assertStored(await log.append([chain(["a"])]));
      await log.close();
      await assert.rejects(call(log), (error) => isBoughError(error, "closed"));
    },
  })),
  {
    name: "close may be called twice, the header stays readable",
    async run({ log }) {
      const { header } = log;
      await log.close();
      await log.close();
      assert.deepEqual(log.header, header);
    },
  },
  {
    name: "what was appended before close is there afterwards",
    async run(bench) {
      const appending = bench.log.append([chain(["a", "b"])]);
      assertStored(await appending);
      await bench.log.close();
      assert.deepEqual(
        (await everything(await bench.open())).map((entry) => entry.id),
        ["a", "b"],
      );
    },
  },
  {
    name: "calls in flight settle when the log is closed",
    async run(bench) {
      const { log } = bench;
      const calls = [log.append([chain(["a"])]), log.changes(), log.append([chain(["b"], "a")]), log.sync()];
      await log.close();
      const settled = await Promise.allSettled(calls);
      const stored = [settled[0], settled[2]].filter((call) => call?.status === "fulfilled").length;
      for (const call of settled) {
        if (call.status === "rejected") assert.ok(isBoughError(call.reason, "closed"));
      }
      assert.equal((await everything(await bench.open())).length, stored);
    },
  },
  {
    name: "sync resolves, alone and together with others",
    async run({ log }) {
      await log.sync();
      assertStored(await log.append([chain(["a"])]));
      await Promise.all([log.sync(), log.sync(), log.append([chain(["b"], "a")]).then(assertStored), log.sync()]);
    },
  },
  {
    name: "a session that was removed rejects with session_deleted and is not created again",
    async run(bench) {
      const { log } = bench;
      assertStored(await log.append([chain(["a"])]));
      await bench.remove();
      await assert.rejects(log.append([chain(["b"], "a")]), (error) => isBoughError(error, "session_deleted"));
      await assert.rejects(log.changes(), (error) => isBoughError(error, "session_deleted"));
      await assert.rejects(bench.open().then((other) => other.changes()));
    },
  },
  {
    name: "a session that was removed can still be read by who has it open",
    async run(bench) {
      const { heads } = (await bench.log.append([chain(["a", "b"])])).change;
      await bench.remove();
      const bodies = await bench.log.read(heads.map((head) => head.position));
      assert.deepEqual(
        bodies.map((entry) => entry.id),
        idsOf(heads),
      );
    },
  },
];
