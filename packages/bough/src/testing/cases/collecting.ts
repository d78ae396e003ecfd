import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import { userEntry } from "../log-case.ts";
import { type SessionCase, say, textsOf } from "../session-case.ts";

const isNotFound = (error: unknown) => isBoughError(error, "not_found");

export const collectingCases: readonly SessionCase[] = [
  {
    name: "CR-06 a session is there for others once it is created",
    async run(bench) {
      const session = await bench.repo.create({ cwd: "/w/p", metadata: { kind: "test", n: 1 } });
      const again = await bench.reopened(session);
      assert.deepEqual([again.id, again.header, again.metadata], [session.id, session.header, { kind: "test", n: 1 }]);
      assert.deepEqual(await again.getEntries(), []);
    },
  },
  {
    name: "an id is taken once, and opening never creates by accident",
    async run(bench) {
      await bench.repo.create({ id: "mine" });
      const other = await bench.otherRepo();
      await assert.rejects(other.create({ id: "mine" }), (error) => isBoughError(error, "already_exists"));
      await assert.rejects(other.open("theirs"), isNotFound);
      assert.equal((await other.list()).length, 1);
      const created = await other.open("theirs", { create: { metadata: { a: 1 } } });
      assert.deepEqual([created.id, created.metadata], ["theirs", { a: 1 }]);
      assert.deepEqual((await bench.repo.open("theirs", { create: true })).metadata, { a: 1 });
    },
  },
  {
    name: "SE-01 ids that are no names of a session are refused",
    async run({ repo }) {
      for (const id of ["", ".", "..", "../x", "a/b", "a\\b", "-a", "a-", "a b", "é", ".trash", "x".repeat(300)]) {
        await assert.rejects(repo.create({ id }), (error) => isBoughError(error, "invalid_session"));
        await assert.rejects(repo.open(id, { create: true }), (error) => isBoughError(error));
      }
      assert.deepEqual(await repo.list(), []);
    },
  },
  {
    name: "a session is found by id, by name, and by a part of its id that is its own",
    async run(bench) {
      const ids = ["abcd-one-1111", "abcd-two-2222", "abcd"];
      for (const id of ids) {
        const session = await bench.repo.create({ id });
        await session.appendSessionName(`name of ${id}`);
      }
      const other = await bench.otherRepo();
      const found = async (query: string) => (await other.open(query)).id;
      assert.equal(await found("abcd-one-1111"), ids[0]);
      assert.equal(await found("abcd"), ids[2]);
      assert.equal(await found("abcd-t"), ids[1]);
      assert.equal(await found("2222"), ids[1]);
      assert.equal(await found("name of abcd"), ids[2]);
      await assert.rejects(found("abcd-"), (error) => {
        return isBoughError(error, "ambiguous") && error.details.candidates.length === 2;
      });
      await assert.rejects(found("222"), isNotFound);
    },
  },
  {
    name: "a list has what one needs to choose, newest first, by filter",
    async run(bench) {
      const one = await bench.repo.create({ id: "one", cwd: "/w/a", metadata: { team: "x", n: 1 } });
      const two = await bench.repo.create({ id: "two", cwd: "/w/b", metadata: { team: "x", n: 2 } });
      await one.storage.appendEntry({ ...userEntry("u1", null, "earlier"), timestamp: "2026-01-01T00:00:00.000Z" });
      await two.storage.appendEntry({
        ...userEntry("u1", null, "later\nlines"),
        timestamp: "2026-01-02T00:00:00.000Z",
      });
      await one.appendSessionName("The first");
      const other = await bench.otherRepo();
      const all = await other.list();
      assert.deepEqual(
        all.map(({ id, cwd, name, firstMessage, messageCount, modified }) => [
          id,
          cwd,
          name,
          firstMessage,
          messageCount,
          modified,
        ]),
        [
          ["two", "/w/b", undefined, "later lines", 1, "2026-01-02T00:00:00.000Z"],
          ["one", "/w/a", "The first", "earlier", 1, "2026-01-01T00:00:00.000Z"],
        ],
      );
      const ids = async (options: Parameters<typeof other.list>[0]) => (await other.list(options)).map(({ id }) => id);
      for (const cwd of ["/w/a", "/w/a/"]) assert.deepEqual(await ids({ cwd }), ["one"]);
      assert.deepEqual(await ids({ cwd: "/w/A" }), []);
      assert.deepEqual(await ids({ metadata: { team: "x" } }), ["two", "one"]);
      assert.deepEqual(await ids({ metadata: { team: "x", n: 1 } }), ["one"]);
      assert.deepEqual(await ids({ limit: 1 }), ["two"]);
      assert.deepEqual(await ids({ metadata: { n: 1 }, limit: 1 }), ["one"]);
      const scanned = async (limit: number) => {
        let count = 0;
        for await (const _ of other.scan({ limit })) count++;
        return count;
      };
      assert.deepEqual([await scanned(0), await scanned(1), await scanned(9)], [0, 1, 2]);
    },
  },
  {
    name: "a session whose working directory is no whole path belongs to no project",
    async run({ repo }) {
      for (const [id, cwd] of Object.entries({ nowhere: "", here: ".", below: "p" })) {
        await (await repo.create({ id, cwd })).close();
      }
      for (const cwd of [process.cwd(), `${process.cwd()}/p`]) assert.deepEqual(await repo.list({ cwd }), []);
      assert.equal((await repo.list()).length, 3);
    },
  },
  {
    name: "DL-08 listing takes nothing away",
    async run({ repo }) {
      for (const id of ["a", "b", "c"]) await (await repo.create({ id })).close();
      for (let round = 0; round < 3; round++) assert.equal((await repo.list()).length, 3);
    },
  },
  {
    name: "DL-09 a deleted session is in the trash, comes back whole, and is destroyed only there",
    async run(bench) {
      const { repo } = bench;
      const session = await repo.create({ id: "mine" });
      await say(session, "hello");
      const entries = await session.getEntries();
      await session.close();
      await repo.delete("mine");
      const other = await bench.otherRepo();
      await assert.rejects(other.open("mine"), isNotFound);
      assert.deepEqual(await other.list(), []);
      assert.deepEqual(
        (await other.list({ trash: true })).map(({ id }) => id),
        ["mine"],
      );
      await other.undelete("mine");
      assert.deepEqual(await (await other.open("mine")).getEntries(), entries);
      await other.delete("mine");
      assert.equal(await other.purge("mine"), 1);
      assert.equal(await other.purge(), 0);
      await assert.rejects(other.undelete("mine"), isNotFound);
      assert.deepEqual(await other.list({ trash: true }), []);
    },
  },
  {
    name: "of several sessions deleted under one id the last comes back, and the others stay in the trash",
    async run({ repo }) {
      for (const text of ["1", "2", "3", "4", "5", "6"]) {
        const session = await repo.create({ id: "mine" });
        await say(session, text);
        await session.close();
        await repo.delete("mine");
      }
      for (let round = 0; round < 2; round++) {
        await repo.undelete("mine");
        const session = await repo.open("mine");
        assert.deepEqual(await textsOf(session.getEntries()), ["6"]);
        await session.close();
        assert.equal((await repo.list({ trash: true })).length, 5);
        await repo.delete("mine");
      }
      assert.equal(await repo.purge("mine"), 6);
    },
  },
  {
    name: "what is opened has the id that was asked for, wherever that is said to be",
    async run(bench) {
      await bench.repo.create({ id: "mine" });
      const { store } = await bench.otherRepo();
      const ref = await store.resolve("mine");
      await (await store.open(ref)).log.close();
      await assert.rejects(store.open({ ...ref, id: "other" }), isNotFound);
      await assert.rejects(store.open({ id: "other" }), isNotFound);
      await store.remove({ ...ref, id: "other" });
      await (await store.open({ id: "mine" })).log.close();
    },
  },
  {
    name: "deleting what is not there is fine, and an id is free again",
    async run({ repo }) {
      await repo.delete("nowhere");
      await (await repo.create({ id: "mine" })).close();
      await repo.delete("mine");
      await repo.delete("mine");
      await repo.create({ id: "mine" });
      await assert.rejects(repo.undelete("mine"), (error) => isBoughError(error, "already_exists"));
    },
  },
  {
    name: "CC-10 what is deleted is not brought back by who still has it open",
    async run(bench) {
      const session = await bench.repo.create();
      await say(session, "hello");
      await (await bench.otherRepo()).delete(session.id);
      await assert.rejects(say(session, "again"), (error) => isBoughError(error, "session_deleted"));
      assert.deepEqual(await (await bench.otherRepo()).list(), []);
    },
  },
  {
    name: "a list that is aborted throws the reason",
    async run({ repo }) {
      for (const id of ["a", "b"]) await repo.create({ id });
      const reason = new Error("enough");
      await assert.rejects(repo.list({ signal: AbortSignal.abort(reason) }), (error) => error === reason);
    },
  },
];
