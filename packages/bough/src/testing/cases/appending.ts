import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { assertFrozen } from "../log-case.ts";
import { idsOf, type SessionCase, say, textsOf } from "../session-case.ts";

const figures = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 };
const usage = { ...figures, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 } };

/** Every appender that makes a child of the leaf. */
const appenders: Readonly<Record<string, (session: Session) => Promise<string>>> = {
  appendMessage: (session) => say(session, "hello"),
  appendEntry: (session) => session.appendEntry({ type: "thinking_level_change", thinkingLevel: "low" }),
  appendModelChange: (session) => session.appendModelChange("acme", "large"),
  appendThinkingLevelChange: (session) => session.appendThinkingLevelChange("high"),
  appendActiveToolsChange: (session) => session.appendActiveToolsChange(["read"]),
  appendCompaction: (session) => session.appendCompaction({ summary: "so far", tokensBefore: 10 }),
  appendBranchSummary: (session) => session.appendBranchSummary({ summary: "tried" }),
  appendCustomEntry: (session) => session.appendCustomEntry("note", { a: 1 }),
  appendCustomMessageEntry: (session) => session.appendCustomMessageEntry({ customType: "note", content: "n" }),
  appendSessionInit: (session) => session.appendSessionInit({ systemPrompt: "s", task: "t", tools: [] }),
  appendTtsrInjection: (session) => session.appendTtsrInjection(["r"]),
};

/** Every appender of marks, given an entry to say something about. */
const markers: Readonly<Record<string, (session: Session, target: string) => Promise<string>>> = {
  appendLabel: (session, target) => session.appendLabel(target, "here"),
  appendSessionName: (session) => session.appendSessionName("named"),
  appendUsage: (session) => session.appendUsage({ kind: "warmup", provider: "acme", model: "large", usage }),
};

const notJson: Readonly<Record<string, unknown>> = {
  "a function": { f: () => 1 },
  "a big integer": { n: 1n },
  "a number that is none": { n: Number.NaN },
  infinity: { n: Number.POSITIVE_INFINITY },
};

export const appendingCases: readonly SessionCase[] = [
  {
    name: "pi-46 a new session has no leaf, no path, no tree and no name",
    async run({ repo }) {
      const session = await repo.create();
      assert.equal(session.leafId, null);
      assert.deepEqual([await session.getBranch(), await session.getTree(), await session.getEntries()], [[], [], []]);
      assert.equal(await session.getSessionName(), undefined);
      assert.deepEqual(session.diagnostics, []);
    },
  },
  ...Object.entries(appenders).map(
    ([name, append]): SessionCase => ({
      name: `pi-47 pi-48 ${name} makes a child of the leaf and moves it there`,
      async run(bench) {
        const session = await bench.repo.create();
        const first = await append(session);
        const second = await append(session);
        assert.deepEqual(
          (await session.getBranch()).map(({ id, parentId }) => [id, parentId]),
          [
            [first, null],
            [second, first],
          ],
        );
        assert.equal(session.leafId, second);
        assert.deepEqual(await (await bench.reopened(session)).getBranch(), await session.getBranch());
      },
    }),
  ),
  ...Object.entries(markers).map(
    ([name, mark]): SessionCase => ({
      name: `${name} resolves with the mark's id and leaves the leaf where it is`,
      async run(bench) {
        const session = await bench.repo.create();
        const target = await say(session, "hello");
        const id = await mark(session, target);
        assert.equal(session.leafId, target);
        assert.equal((await session.getEntry(id))?.parentId, target);
        const again = await bench.reopened(session);
        assert.equal(again.leafId, target);
        const next = await say(again, "more");
        assert.equal((await again.getEntry(next))?.parentId, target);
      },
    }),
  ),
  {
    name: "pi-57 a hundred appends that nobody waits for form one chain in call order",
    async run(bench) {
      const session = await bench.repo.create();
      const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
      const ids = await Promise.all(texts.map((text) => say(session, text)));
      const again = await bench.reopened(session);
      assert.deepEqual(idsOf(await again.getBranch()), ids);
      assert.deepEqual(await textsOf(again.getBranch()), texts);
    },
  },
  {
    name: "messages appended together form a chain",
    async run(bench) {
      const session = await bench.repo.create();
      const ids = await session.appendMessages([
        { role: "user", content: "a" },
        { role: "assistant", content: [{ type: "text", text: "b" }] },
        { role: "user", content: "c" },
      ]);
      assert.deepEqual(idsOf(await (await bench.reopened(session)).getBranch()), ids);
    },
  },
  {
    name: "pi-65 changing what was passed or returned changes nothing",
    async run(bench) {
      const session = await bench.repo.create();
      const content = [{ type: "text" as const, text: "before" }];
      const appending = session.appendMessage({ role: "user", content });
      content[0] = { type: "text", text: "after" };
      await appending;
      const data = { list: [1] };
      const id = await session.appendCustomEntry("note", data);
      data.list.push(2);
      for (const entry of await session.getEntries()) assertFrozen(entry);
      const again = await bench.reopened(session);
      assert.deepEqual(await textsOf(again.getBranch()), [[{ type: "text", text: "before" }], "custom"]);
      assert.deepEqual((await again.getEntry(id)) as unknown, await session.getEntry(id));
      assert.deepEqual(((await session.getEntry(id)) as { data?: unknown } | undefined)?.data, { list: [1] });
    },
  },
  ...Object.entries(notJson).map(
    ([name, data]): SessionCase => ({
      name: `pi-65 ${name} is refused before anything is written`,
      async run(bench) {
        const session = await bench.repo.create();
        await say(session, "hello");
        const before = await bench.stored(session);
        await assert.rejects(session.appendCustomEntry("note", data), (error) => isBoughError(error, "invalid_entry"));
        assert.deepEqual(await bench.stored(session), before);
        assert.equal((await session.getBranch()).length, 1);
      },
    }),
  ),
  {
    name: "DL-11 a message of no known shape is refused",
    async run(bench) {
      const session = await bench.repo.create();
      const spread = Object.assign({}, "hey") as never;
      await assert.rejects(session.appendMessage(spread), (error) => isBoughError(error, "invalid_entry"));
      await assert.rejects(session.appendEntry({ type: "message", message: spread }), (error) =>
        isBoughError(error, "invalid_entry"),
      );
      assert.deepEqual(await session.getEntries(), []);
    },
  },
  {
    name: "custom types of bough's own are refused",
    async run({ repo }) {
      const session = await repo.create();
      for (const append of [
        session.appendCustomEntry("bough.intent", {}),
        session.appendEntry({ type: "custom", customType: "bough.x" }),
      ]) {
        await assert.rejects(append, (error) => isBoughError(error, "invalid_entry"));
      }
      assert.equal(session.leafId, null);
    },
  },
  {
    name: "AP-06 an entry stored again changes nothing, other content under its id is refused",
    async run(bench) {
      const session = await bench.repo.create();
      const id = await say(session, "hello");
      const entry = await session.getEntry(id);
      assert.ok(entry);
      const before = await bench.stored(session);
      assert.equal(await session.storage.appendEntry(structuredClone(entry)), id);
      assert.deepEqual(await bench.stored(session), before);
      await assert.rejects(session.storage.appendEntry({ ...entry, timestamp: "2001-01-01T00:00:00.000Z" }), (error) =>
        isBoughError(error, "already_exists"),
      );
      assert.deepEqual(await bench.stored(session), before);
    },
  },
  {
    name: "BR-01 BR-16 an entry whose parent was never written is refused",
    async run(bench) {
      const session = await bench.repo.create();
      await say(session, "hello");
      const entry = {
        type: "custom",
        id: "mine",
        parentId: "nowhere",
        timestamp: "2026-01-01T00:00:00.000Z",
        customType: "x",
      };
      const append = session.storage.appendEntry(entry as never);
      await assert.rejects(append, (error) => isBoughError(error, "unknown_parent"));
      assert.equal((await session.getEntries()).length, 1);
    },
  },
  {
    name: "pi-66 entries can be read in pieces",
    async run({ repo }) {
      const session = await repo.create();
      const ids: string[] = [];
      for (const text of ["a", "b", "c", "d"]) ids.push(await say(session, text));
      assert.deepEqual(idsOf(await session.getEntries({ after: ids[0] as string, limit: 2 })), ids.slice(1, 3));
      assert.deepEqual(idsOf(await session.getEntries({ limit: 1 })), ids.slice(0, 1));
      await assert.rejects(session.getEntries({ after: "nowhere" }), (error) => isBoughError(error, "not_found"));
    },
  },
];
