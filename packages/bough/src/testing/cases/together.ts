import assert from "node:assert/strict";
import { idsOf, type SessionBench, type SessionCase, say } from "../session-case.ts";
import { randomCommands } from "../session-command.ts";
import { SessionWorld } from "../session-world.ts";

async function twoProcesses(bench: SessionBench) {
  const mine = await bench.repo.create();
  const first = await say(mine, "first");
  return { mine, first, theirs: await bench.reopened(mine) };
}

export const togetherCases: readonly SessionCase[] = [
  {
    name: "CC-07 two processes append at the same time and nothing is lost",
    async run(bench) {
      const { mine, theirs } = await twoProcesses(bench);
      const appends = Array.from({ length: 40 }, (_, index) => say(index % 2 === 0 ? mine : theirs, `${index}`));
      const ids = await Promise.all(appends);
      const again = await bench.reopened(mine);
      const stored = idsOf(await again.getEntries());
      for (const id of ids) assert.ok(stored.includes(id));
      assert.equal(new Set(stored).size, stored.length);
      assert.deepEqual(again.diagnostics, []);
    },
  },
  {
    name: "CC-01 two continuations of one leaf are two branches",
    async run(bench) {
      const { mine, theirs, first } = await twoProcesses(bench);
      const [a, b] = [await say(mine, "a"), await say(theirs, "b")];
      await mine.refresh();
      assert.deepEqual(idsOf(await mine.getChildren(first)).sort(), [a, b].sort());
      assert.deepEqual([mine.leafId, theirs.leafId], [a, b]);
    },
  },
  {
    name: "a look at what others wrote leaves the leaf, and follows if asked to",
    async run(bench) {
      const { mine, theirs, first } = await twoProcesses(bench);
      const id = await say(theirs, "second");
      const seen = await mine.refresh();
      assert.deepEqual([idsOf(seen.entries), seen.leafId, mine.leafId], [[id], first, first]);
      assert.deepEqual((await mine.refresh()).entries, []);
      assert.equal((await mine.refresh({ follow: true })).leafId, id);
      const next = await say(mine, "third");
      assert.equal((await mine.getEntry(next))?.parentId, id);
    },
  },
  {
    name: "a mark of a process that knows an older state moves nobody's leaf",
    async run(bench) {
      const { mine, theirs, first } = await twoProcesses(bench);
      const id = await say(theirs, "second");
      await mine.appendLabel(first, "marked");
      assert.deepEqual([mine.leafId, theirs.leafId], [first, id]);
      assert.equal((await bench.reopened(mine)).leafId, id);
    },
  },
  {
    name: "watching yields every later entry once, in log order, and ends with the session",
    async run(bench) {
      const { mine, theirs } = await twoProcesses(bench);
      const seen: string[] = [];
      const watching = (async () => {
        for await (const entry of mine.watch({ interval: 5 })) {
          seen.push(entry.id);
          if (seen.length === 6) break;
        }
      })();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const written: string[] = [];
      for (const session of [theirs, mine, theirs, mine, theirs, mine]) written.push(await say(session, "x"));
      await watching;
      assert.deepEqual([...seen].sort(), [...written].sort());
      const order = idsOf(await (await bench.reopened(mine)).getEntries());
      assert.deepEqual(seen, order.slice(1));
    },
  },
  {
    name: "CC-02 callers who open one session in one process share it, each with a leaf of its own",
    async run({ repo }) {
      const session = await repo.create();
      const first = await say(session, "first");
      const [one, other] = await Promise.all([repo.open(session.id), repo.open(session.id)]);
      const id = await say(one, "second");
      assert.deepEqual([one.leafId, other.leafId], [id, first]);
      assert.equal((await other.getEntry(id))?.id, id);
      await one.close();
      assert.equal((await other.getEntries()).length, 2);
      await say(other, "third");
    },
  },
  {
    name: "random commands do what the model of a session does",
    async run(bench) {
      for (let seed = 1_000_000; seed < 1_000_010; seed++) {
        const world = await SessionWorld.create({
          create: () => bench.repo.create(),
          reopen: async (id) => (await bench.otherRepo()).open(id),
        });
        for (const command of randomCommands(seed, 40)) await world.run(command);
        await world.compare();
        await world.close();
      }
    },
  },
];
