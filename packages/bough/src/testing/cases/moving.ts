import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { idsOf, type SessionCase, say } from "../session-case.ts";

/** u1 ← a1 ← u2 ← a2, as ids. */
async function base(session: Session): Promise<[string, string, string, string]> {
  const [u1, a1] = [await say(session, "u1"), await reply(session, "a1")];
  return [u1, a1, await say(session, "u2"), await reply(session, "a2")];
}

function reply(session: Session, text: string): Promise<string> {
  return session.appendMessage({ role: "assistant", content: [{ type: "text", text }] });
}

/** Without the marks that hang there too. */
async function messagesUnder(session: Session, id: string | null): Promise<string[]> {
  return idsOf((await session.getChildren(id)).filter((entry) => entry.type === "message"));
}

const isNotFound = (error: unknown) => isBoughError(error, "not_found");

export const movingCases: readonly SessionCase[] = [
  {
    name: "pi-52 BR-17 a move is there after reopening, and what follows is a sibling",
    async run(bench) {
      const session = await bench.repo.create();
      const [, a1, u2] = await base(session);
      assert.equal(await session.moveTo(a1), undefined);
      assert.equal(session.leafId, a1);
      const again = await bench.reopened(session);
      assert.equal(again.leafId, a1);
      const u3 = await say(again, "u3");
      assert.deepEqual(await messagesUnder(again, a1), [u2, u3]);
    },
  },
  {
    name: "pi-50 BR-18 a move before everything is there after reopening, and what follows is a root",
    async run(bench) {
      const session = await bench.repo.create();
      const [u1] = await base(session);
      await session.moveTo(null);
      const again = await bench.reopened(session);
      assert.equal(again.leafId, null);
      assert.deepEqual((await again.buildContext()).messages, []);
      const next = await say(again, "fresh");
      assert.deepEqual(await messagesUnder(again, null), [u1, next]);
    },
  },
  {
    name: "pi-51 places that don't exist are not found, and nothing is written",
    async run(bench) {
      const session = await bench.repo.create();
      const [, , , a2] = await base(session);
      const before = await bench.stored(session);
      await assert.rejects(session.moveTo("nowhere"), isNotFound);
      await assert.rejects(session.moveTo("nowhere", { summary: "s" }), isNotFound);
      await assert.rejects(session.storage.setLeafId("nowhere"), isNotFound);
      await assert.rejects(session.appendLabel("nowhere", "x"), isNotFound);
      await assert.rejects(session.getBranch("nowhere"), isNotFound);
      assert.throws(() => session.at("nowhere"), isNotFound);
      assert.deepEqual(await bench.stored(session), before);
      assert.equal(session.leafId, a2);
    },
  },
  {
    name: "a move to where the session is writes nothing",
    async run(bench) {
      const session = await bench.repo.create();
      const [, , , a2] = await base(session);
      const before = await bench.stored(session);
      await session.moveTo(a2);
      assert.deepEqual(await bench.stored(session), before);
    },
  },
  {
    name: "pi-54 BR-05 a move with a summary stores the summary alone, with what was left",
    async run(bench) {
      const session = await bench.repo.create();
      const [, a1, , a2] = await base(session);
      const id = await session.moveTo(a1, { summary: "tried it" });
      assert.equal(session.leafId, id);
      const again = await bench.reopened(session);
      const last = (await again.getEntries()).at(-1);
      assert.deepEqual(
        { ...last, timestamp: "" },
        { type: "branch_summary", id, parentId: a1, timestamp: "", summary: "tried it", fromId: a2 },
      );
      assert.equal((await again.getEntries()).length, 5);
    },
  },
  {
    name: "a summary of nothing left says root",
    async run({ repo }) {
      const session = await repo.create();
      const [u1] = await base(session);
      await session.moveTo(null);
      const id = await session.moveTo(u1, { summary: "s" });
      assert.equal(((await session.getEntry(id as string)) as { fromId?: string }).fromId, "root");
    },
  },
  {
    name: "a move to a mark goes where the mark was made",
    async run({ repo }) {
      const session = await repo.create();
      const [u1, , , a2] = await base(session);
      const mark = await session.appendLabel(u1, "start");
      await session.moveTo(u1);
      await session.moveTo(mark);
      assert.equal(session.leafId, a2);
    },
  },
  {
    name: "BR-14 the context follows every move at once",
    async run({ repo }) {
      const session = await repo.create();
      const [u1, a1] = await base(session);
      const lengths = [];
      for (const place of [u1, null, a1]) {
        await session.moveTo(place);
        lengths.push((await session.buildContext()).messages.length);
      }
      assert.deepEqual(lengths, [1, 0, 2]);
    },
  },
  {
    name: "attempts beside each other keep their own leaves and store no moves",
    async run(bench) {
      const session = await bench.repo.create();
      const [u1, a1, , a2] = await base(session);
      const other = session.at(a1);
      const stored = await bench.stored(session);
      await other.moveTo(u1);
      assert.deepEqual(await bench.stored(session), stored);
      const [x, y] = await Promise.all([say(other, "x"), say(session, "y")]);
      assert.equal((await session.getEntry(x))?.parentId, u1);
      assert.equal((await other.getEntry(y))?.parentId, a2);
      assert.deepEqual([other.leafId, session.leafId], [x, y]);
    },
  },
  {
    name: "pi-76 pi-77 the last label of an entry wins, and a blank one clears",
    async run(bench) {
      const session = await bench.repo.create();
      const [u1] = await base(session);
      for (const [label, expected] of [
        ["one", "one"],
        [" two ", "two"],
        ["  ", undefined],
        ["three", "three"],
        [undefined, undefined],
      ]) {
        await session.appendLabel(u1, label);
        assert.equal(await session.getLabel(u1), expected);
        assert.equal(await (await bench.reopened(session)).getLabel(u1), expected);
      }
    },
  },
  {
    name: "pi-82 a name is one trimmed line, the last wins and a blank one clears",
    async run(bench) {
      const session = await bench.repo.create();
      await base(session);
      for (const [name, expected] of [
        ["first", "first"],
        [" two\nlines ", "two lines"],
        [" ", undefined],
      ] as const) {
        await session.appendSessionName(name);
        assert.equal(await session.getSessionName(), expected);
        assert.equal(await (await bench.reopened(session)).getSessionName(), expected);
      }
    },
  },
  {
    name: "DL-05 whatever is done, what was stored stays",
    async run(bench) {
      const session = await bench.repo.create();
      const [u1, a1, u2] = await base(session);
      const before = await session.getEntries();
      await session.appendCompaction({ summary: "s", firstKeptEntryId: u2, tokensBefore: 5 });
      await session.moveTo(a1, { summary: "t" });
      await session.appendContextEdit(u1, null);
      await session.appendSessionName("n");
      assert.deepEqual((await (await bench.reopened(session)).getEntries()).slice(0, 4), before);
    },
  },
];
