import assert from "node:assert/strict";
import { isBoughError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { type SessionCase, say } from "../session-case.ts";

/** Everything that can be asked of a session, with arguments that ask for nothing too. */
const verbs: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  appendMessage: (session) => say(session, "x"),
  "appendMessages of none": (session) => session.appendMessages([]),
  appendEntry: (session) => session.appendEntry({ type: "custom", customType: "x" }),
  appendModelChange: (session) => session.appendModelChange("a", "b"),
  appendLabel: (session) => session.appendLabel("nowhere"),
  appendSessionName: (session) => session.appendSessionName(""),
  "appendEntries of none": (session) => session.storage.appendEntries([]),
  "moveTo null": (session) => session.moveTo(null),
  getEntry: (session) => session.getEntry("nowhere"),
  getEntries: (session) => session.getEntries(),
  "getEntries of none": (session) => session.getEntries({ limit: 0 }),
  getBranch: (session) => session.getBranch(),
  "getBranch of null": (session) => session.getBranch(null),
  getChildren: (session) => session.getChildren(null),
  getTree: (session) => session.getTree(),
  branches: (session) => session.branches(),
  getLabel: (session) => session.getLabel("nowhere"),
  getSessionName: (session) => session.getSessionName(),
  getSessionStats: (session) => session.getSessionStats(),
  findEntries: (session) => session.findEntries("message"),
  buildContext: (session) => session.buildContext(),
  buildContextEntries: (session) => session.buildContextEntries(),
  fork: (session) => session.fork(),
  refresh: (session) => session.refresh(),
  flush: (session) => session.flush(),
};

export const endingCases: readonly SessionCase[] = [
  {
    name: "AP-02 after close everything rejects with closed, whatever is asked",
    async run({ repo }) {
      const session = await repo.create();
      await say(session, "hello");
      await session.close();
      for (const [verb, call] of Object.entries(verbs)) {
        await assert.rejects(call(session), (error) => isBoughError(error, "closed"), `${verb} after close`);
      }
    },
  },
  {
    name: "close may be called twice, by session, storage and repo",
    async run({ repo }) {
      const session = await repo.create();
      await Promise.all([session.close(), session.close()]);
      await session.storage.cleanup();
      await repo.close();
      await repo.close();
    },
  },
  {
    name: "appends under way when a session is closed are stored or rejected, never both",
    async run(bench) {
      const session = await bench.repo.create();
      const appends = ["a", "b", "c"].map((text) => say(session, text));
      await session.close();
      const settled = await Promise.allSettled(appends);
      const ids = settled.flatMap((append) => (append.status === "fulfilled" ? [append.value] : []));
      const stored = (await (await bench.reopened(session)).getEntries()).map((entry) => entry.id);
      assert.deepEqual(stored, ids);
    },
  },
  {
    name: "pi-63 flush resolves when everything appended before is stored",
    async run(bench) {
      const session = await bench.repo.create();
      const appends = ["a", "b"].map((text) => say(session, text));
      await session.flush();
      assert.deepEqual(
        (await (await bench.reopened(session)).getEntries()).map((entry) => entry.id),
        await Promise.all(appends),
      );
    },
  },
  {
    name: "a session that goes out of use closes itself",
    async run({ repo }) {
      const session = await repo.create();
      await session[Symbol.asyncDispose]();
      await assert.rejects(session.getEntries(), (error) => isBoughError(error, "closed"));
    },
  },
];
