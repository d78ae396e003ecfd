import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import {
  type Cost,
  CostCounter,
  firstBytes,
  type LongSession,
  largestBlock,
  lastBlock,
  lastByte,
  longSession,
} from "../support/counted-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function opened({ path }: LongSession): { manager: SessionManager; costs: CostCounter } {
  const costs = new CostCounter();
  const manager = SessionManager.open(path, temporaryFolder(), undefined, {
    durability: "process",
    fileSystem: costs.fileSystem,
  });
  return { manager, costs };
}

test("opening reads the header and the end of the file, and writes nothing", async () => {
  const session = longSession(1000);
  const costs = new CostCounter();
  const options = { durability: "process", fileSystem: costs.fileSystem } as const;
  const cost = await costs.during(() => SessionManager.open(session.path, undefined, undefined, options));
  expect(cost).toEqual({
    calls: ["realpathSync", "openSync", "fstatSync", "readSync", "readSync", "readSync", "statSync"],
    bytesRead: firstBytes + lastByte + lastBlock,
    parsed: session.lastLines + 1,
  });
});

test.each([200, 1000, 10_000])(
  "a context after %i compacted messages reads nothing that opening has not read",
  async (history) => {
    const { manager, costs } = opened(longSession(history));
    const cost = await costs.during(() => manager.buildSessionContext());
    expect(cost).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
  },
);

test("opening and a context cost the window, however long the history is", async () => {
  const costs: Cost[] = [];
  for (const history of [2000, 9000]) {
    const { path, window } = longSession(history, 300);
    const counter = new CostCounter();
    const cost = await counter.during(() => {
      const manager = SessionManager.open(path, undefined, undefined, { fileSystem: counter.fileSystem });
      expect(manager.buildSessionContext().messages).toHaveLength(window.entries);
    });
    // A window begins somewhere in the last block that is read.
    const aBlock = Math.ceil((largestBlock * window.entries) / window.size);
    expect(cost.parsed).toBeGreaterThan(window.entries);
    expect(cost.parsed).toBeLessThan(window.entries + aBlock);
    costs.push(cost);
  }
  expect(costs[1]).toEqual(costs[0]);
});

test("state above a compaction that carries none is read when it is asked for, once", async () => {
  const nothing = { calls: [], bytesRead: 0, parsed: 0 };
  const session = longSession(1000, 10, { carried: null });
  const { manager, costs } = opened(session);
  expect(await costs.during(() => manager.buildSessionContext())).toEqual(nothing);
  const { thinkingLevel, activeToolNames } = manager.buildSessionContext();
  expect([thinkingLevel, activeToolNames]).toEqual(["off", null]);
  manager.appendMessage(user("one more"));
  const again = manager.buildSessionContext();
  expect(await costs.during(() => [again.thinkingLevel, again.activeToolNames])).toEqual(nothing);
});

test("an append is one write and one look, and parses nothing", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  manager.appendMessage(user("the first opens the file"));
  const cost = await costs.during(() => manager.appendMessage(user("the second")));
  expect(cost).toEqual({ calls: ["writeSync", "statSync"], bytesRead: 0, parsed: 0 });
});

test("a context after an append parses what was appended alone, from memory", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  manager.buildSessionContext();
  manager.appendMessage(user("one more"));
  const cost = await costs.during(() => manager.buildSessionContext());
  expect(cost).toEqual({ calls: [], bytesRead: 0, parsed: 1 });
});

test("labels and names take the fronts of all lines once, and no bodies", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  const cost = await costs.during(() => {
    manager.getLabel("h1");
    manager.getSessionName();
    manager.getEntryCount();
  });
  // A block begins in the middle of a line, which the next block reads again.
  expect(cost.bytesRead).toBeLessThan(session.size + 8000);
  expect(cost.parsed).toBe(0);
  expect(await costs.during(() => manager.getSessionName())).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
});

test("statistics parse each body once, and what is appended is added without reading", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  expect((await costs.during(() => manager.getUsageStatistics())).parsed).toBe(session.entries - session.lastLines);
  manager.appendMessage(user("one more"));
  expect(await costs.during(() => manager.getUsageStatistics())).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
});

test("a fork parses what it has to change, copies the rest in large pieces, and reads the end of what it opens", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  let fork = "";
  const cost = await costs.during(() => {
    fork = manager.createBranchedSession("a9") as string;
  });
  // The header; the compaction keeps what it says.
  const pieces = Math.ceil(session.size / 2 ** 18);
  expect(cost.calls.filter((name) => name === "writeSync")).toHaveLength(1 + pieces);
  expect(statSync(fork).size).toBeGreaterThan(session.size);
  // Of messages the heads; the end of the fork is read as that of any file.
  expect(cost.parsed).toBeLessThanOrEqual(session.lastLines + 1);
});
