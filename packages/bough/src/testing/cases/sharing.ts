import assert from "node:assert/strict";
import type { EntryHead } from "../../entry/head.ts";
import type { EntryLog, LogChange } from "../../session/entry-log.ts";
import { assertStored, chain, everything, headsAnew, idsOf, type LogCase } from "../log-case.ts";

/** Several handles on one session, as several processes have. */
export const sharingCases: readonly LogCase[] = [
  {
    name: "opening and reading write nothing",
    async run(bench) {
      assertStored(await bench.log.append([chain(["a", "b"])]));
      const before = await bench.stored();
      const log = await bench.open();
      await everything(log);
      await log.sync();
      await log.close();
      assert.deepEqual(await bench.stored(), before);
    },
  },
  {
    name: "the header is the same for every handle",
    async run(bench) {
      assert.deepEqual((await bench.open()).header, bench.log.header);
    },
  },
  {
    name: "a handle sees what another appended after it was opened",
    async run(bench) {
      const reader = new Follower(await bench.open());
      await reader.refresh();
      assertStored(await bench.log.append([chain(["a"])]));
      await reader.refresh();
      assert.deepEqual(reader.ids, ["a"]);
      assertStored(await bench.log.append([chain(["b", "c"], "a")]));
      await reader.refresh();
      assert.deepEqual(reader.ids, ["a", "b", "c"]);
      assert.deepEqual(
        (await reader.log.read(reader.positions)).map((entry) => entry.id),
        ["a", "b", "c"],
      );
    },
  },
  {
    name: "an append hands out what others wrote before it, in log order",
    async run(bench) {
      const [first, second] = [new Follower(bench.log), new Follower(await bench.open())];
      first.apply((await first.log.append([chain(["a"])])).change);
      second.apply((await second.log.append([chain(["b"], "a")])).change);
      first.apply((await first.log.append([chain(["c"], "b")])).change);
      assert.deepEqual(second.ids, ["a", "b"]);
      assert.deepEqual(first.ids, idsOf(await headsAnew(bench)));
    },
  },
  {
    name: "many handles lose nothing and agree on the order",
    async run(bench) {
      const writers = [new Follower(bench.log)];
      while (writers.length < 5) writers.push(new Follower(await bench.open()));
      await Promise.all(writers.map((writer, index) => write(writer, `w${index}-`)));
      const expected = idsOf(await headsAnew(bench));
      assert.equal(new Set(expected).size, 5 * 20);
      assert.equal(expected.length, 5 * 20);
      for (const writer of writers) {
        await writer.refresh();
        assert.deepEqual(writer.ids, expected);
      }
    },
  },
  {
    name: "closing one handle leaves the others open",
    async run(bench) {
      const other = await bench.open();
      await other.close();
      assertStored(await bench.log.append([chain(["a"])]));
      assert.deepEqual(idsOf(await headsAnew(bench)), ["a"]);
    },
  },
];

/** Keeps what a handle handed out, as a session does. */
class Follower {
  readonly log: EntryLog;
  #heads: EntryHead[] = [];

  constructor(log: EntryLog) {
    this.log = log;
  }

  get ids(): string[] {
    return idsOf(this.#heads);
  }

  get positions(): number[] {
    return this.#heads.map((head) => head.position);
  }

  apply(change: LogChange): void {
    if (change.kind === "replaced") this.#heads = [];
    this.#heads.push(...change.heads);
  }

  async refresh(): Promise<void> {
    this.apply(await this.log.changes());
  }
}

async function write(writer: Follower, prefix: string): Promise<void> {
  for (let index = 0; index < 20; index++) {
    const appended = await writer.log.append([chain([`${prefix}${index}`])]);
    assertStored(appended);
    writer.apply(appended.change);
  }
}
