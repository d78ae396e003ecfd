import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { idsOf, type SessionCase, say } from "../session-case.ts";

async function chain(session: Session, ...texts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.push(await say(session, text));
  return ids;
}

export const forkingCases: readonly SessionCase[] = [
  {
    name: "BR-04 BR-13 a fork has the path and nothing else, and is the one that grows",
    async run(bench) {
      const session = await bench.repo.create({ cwd: "/w/p" });
      const [a, b] = await chain(session, "a", "b", "SECRET-LATER");
      const before = await bench.stored(session);
      const fork = await session.fork(b as string);
      assert.deepEqual(await fork.getEntries(), (await session.getEntries()).slice(0, 2));
      assert.equal(fork.leafId, b);
      await say(fork, "on the fork");
      assert.deepEqual(await bench.stored(session), before);
      assert.equal(JSON.stringify(await bench.stored(fork)).includes("SECRET-LATER"), false);
      assert.deepEqual(idsOf(await (await bench.reopened(fork)).getBranch()).slice(0, 2), [a, b]);
    },
  },
  {
    name: "BR-03 a fork has one id, names its origin and says how much it inherited",
    async run(bench) {
      const session = await bench.repo.create({ cwd: "/w/p", metadata: { mine: true } });
      const [a] = await chain(session, "a", "b");
      const fork = await bench.reopened(await session.fork(a as string));
      assert.notEqual(fork.id, session.id);
      assert.equal(fork.header.id, fork.id);
      assert.equal(fork.header.parentSessionId, session.id);
      assert.equal(fork.header.inheritedEntries, 1);
      assert.deepEqual([fork.header.cwd, fork.metadata], ["/w/p", { mine: true }]);
      const empty = await session.fork(a as string, { position: "before", id: "chosen" });
      assert.deepEqual([empty.id, empty.leafId, await empty.getEntries()], ["chosen", null, []]);
    },
  },
  {
    name: "a fork without an entry has the whole tree and stands where the file did",
    async run(bench) {
      const session = await bench.repo.create();
      const [a, b] = await chain(session, "a", "b", "c");
      await session.moveTo(a as string);
      await say(session, "d");
      await session.moveTo(b as string);
      const fork = await bench.reopened(await session.fork());
      const conversation = (await session.getEntries()).filter((entry) => entry.type === "message");
      assert.deepEqual((await fork.getEntries()).slice(0, 4), conversation);
      assert.equal(fork.leafId, b);
    },
  },
  {
    name: "a fork keeps the name and the labels of what it copied, and no usage but its entries'",
    async run(bench) {
      const session = await bench.repo.create();
      const [a, b, c] = await chain(session, "a", "b", "c");
      await session.appendLabel(a as string, "kept");
      await session.appendLabel(b as string, "cleared");
      await session.appendLabel(b as string);
      await session.appendLabel(c as string, "left behind");
      await session.appendSessionName("named");
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 1 };
      const usage = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1, cost };
      await session.appendUsage({ kind: "warmup", provider: "acme", model: "large", usage });
      const fork = await bench.reopened(await session.fork(b as string));
      assert.deepEqual([await fork.getLabel(a as string), await fork.getLabel(b as string)], ["kept", undefined]);
      assert.equal(await fork.getSessionName(), "named");
      assert.equal((await fork.getSessionStats()).costTotal, null);
      assert.equal(fork.leafId, b);
      const label = (entries: readonly { type: string; timestamp: string }[]) =>
        entries.find(({ type }) => type === "label");
      assert.equal(label(await fork.getEntries())?.timestamp, label(await session.getEntries())?.timestamp);
    },
  },
  {
    name: "BR-12 a fork at an entry has the context that entry had",
    async run({ repo }) {
      const session = await repo.create();
      const [, b, c] = await chain(session, "a", "b", "c");
      await session.appendCompaction({ summary: "s", firstKeptEntryId: c as string, tokensBefore: 5 });
      await say(session, "d");
      for (const place of [b as string, session.leafId as string]) {
        const fork = await session.fork(place);
        assert.deepEqual(await fork.buildContext(), await session.buildContext({ leafId: place }));
      }
    },
  },
  {
    name: "BR-09 a summary of a branch that stays behind names the nearest entry that came along",
    async run({ repo }) {
      const session = await repo.create();
      const [a, b] = await chain(session, "a", "b");
      await session.moveTo(a as string, { summary: "tried b" });
      const fork = await session.fork(session.leafId as string);
      const [, summary] = await fork.getEntries();
      assert.equal((summary as { fromId?: string }).fromId, a);
      assert.notEqual(a, b);
    },
  },
  {
    name: "a fork of a fork has its path",
    async run(bench) {
      const session = await bench.repo.create();
      const [a, b] = await chain(session, "a", "b", "c");
      const first = await session.fork(b as string);
      const [d] = await chain(first, "d");
      const second = await bench.reopened(await first.fork(d as string));
      assert.deepEqual(idsOf(await second.getBranch()), [a, b, d]);
      assert.equal(second.header.parentSessionId, first.id);
      assert.equal(second.header.inheritedEntries, 3);
    },
  },
  {
    name: "forks at what is no place are refused and leave no session",
    async run({ repo }) {
      const session = await repo.create();
      const [a] = await chain(session, "a");
      const mark = await session.appendLabel(a as string, "x");
      await assert.rejects(session.fork("nowhere"), (error) => isBoughError(error, "not_found"));
      await assert.rejects(session.fork(mark, { position: "before" }), (error) =>
        isBoughError(error, "invalid_fork_target"),
      );
      await assert.rejects(session.fork(a as string, { id: session.id }), (error) =>
        isBoughError(error, "already_exists"),
      );
      assert.equal((await repo.list()).length, 1);
    },
  },
];
