import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { CostCounter, type LongSession, longSession } from "../support/counted-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function opened({ path }: LongSession): { manager: SessionManager; costs: CostCounter } {
  const costs = new CostCounter();
  const manager = SessionManager.open(path, temporaryFolder(), undefined, {
    durability: "process",
    fileSystem: costs.fileSystem,
  });
  return { manager, costs };
}

test("opening reads each byte of the file once, parses each line once, and writes nothing", async () => {
  const session = longSession(1000);
  const costs = new CostCounter();
  const options = { durability: "process", fileSystem: costs.fileSystem } as const;
  const cost = await costs.during(() => SessionManager.open(session.path, undefined, undefined, options));
  expect(cost).toEqual({
    calls: ["realpathSync", "openSync", "fstatSync", "readSync", "statSync"],
    bytesRead: session.size,
    parsed: session.entries + 1,
  });
});

test.each([100, 1000, 10_000])(
  "a context after %i compacted messages reads and parses the window alone",
  async (history) => {
    const { window, ...session } = longSession(history);
    const { manager, costs } = opened({ window, ...session });
    const cost = await costs.during(() => manager.buildSessionContext());
    // First the compaction, which says where the rest begins; of both the last newline is left out.
    const bytesRead = window.size - 2;
    expect(cost).toEqual({ calls: ["readSync", "readSync"], bytesRead, parsed: window.entries });
    expect(await costs.during(() => manager.buildSessionContext())).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
  },
);

test("an append is one write and one look, and parses nothing", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  manager.appendMessage(user("the first opens the file"));
  const cost = await costs.during(() => manager.appendMessage(user("the second")));
  expect(cost).toEqual({ calls: ["writeSync", "statSync"], bytesRead: 0, parsed: 0 });
});

test("a context after an append reads and parses what was appended alone", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  manager.buildSessionContext();
  manager.appendMessage(user("one more"));
  const line = statSync(session.path).size - session.size - 1;
  const cost = await costs.during(() => manager.buildSessionContext());
  expect(cost).toEqual({ calls: ["readSync"], bytesRead: line, parsed: 1 });
});

test("labels, names and statistics are known without reading", async () => {
  const { manager, costs } = opened(longSession(1000));
  const cost = await costs.during(() => {
    manager.getLabel("h1");
    manager.getSessionName();
    manager.getUsageStatistics();
    manager.getDiagnostics();
  });
  expect(cost).toEqual({ calls: [], bytesRead: 0, parsed: 0 });
});

test("a fork reads the path once, writes it in pieces, and reads what it opens", async () => {
  const session = longSession(1000);
  const { manager, costs } = opened(session);
  let fork = "";
  const cost = await costs.during(() => {
    fork = manager.createBranchedSession("a9") as string;
  });
  const pieces = Math.ceil(session.entries / 256);
  expect(cost.calls.filter((name) => name === "writeSync")).toHaveLength(1 + pieces);
  const path = session.size - session.headerLine - pieces;
  expect(cost.bytesRead).toBe(path + statSync(fork).size);
  expect(cost.parsed).toBe(session.entries + (session.entries + 1));
});
