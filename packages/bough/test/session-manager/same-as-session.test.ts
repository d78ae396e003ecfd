import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, asyncLog, Session, SessionHost, SessionStorage, toolResult, user } from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { MemoryStore } from "../../src/storage/memory/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bytesOf, counting, fileOf } from "./managers.ts";

const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
};

/** One thing that can be done to a session, to either face of it. `entry` picks an entry to do it to. */
interface Deed {
  readonly toSession: (session: Session, entry: string) => Promise<unknown>;
  readonly toManager: (manager: SessionManager, entry: string) => unknown;
}

const deeds: readonly Deed[] = [
  {
    toSession: (session) => session.appendMessage(user("question")),
    toManager: (manager) => manager.appendMessage(user("question")),
  },
  {
    toSession: (session) => session.appendMessage(assistant([{ type: "text", text: "answer" }], { usage })),
    toManager: (manager) => manager.appendMessage(assistant([{ type: "text", text: "answer" }], { usage })),
  },
  {
    toSession: (session) => session.appendMessage(toolResult("k", "read", "text", { details: { lines: 1 } })),
    toManager: (manager) => manager.appendMessage(toolResult("k", "read", "text", { details: { lines: 1 } })),
  },
  {
    toSession: (session) => session.appendModelChange("p", "m"),
    toManager: (manager) => manager.appendModelChange("p/m"),
  },
  {
    toSession: (session) => session.appendThinkingLevelChange("high"),
    toManager: (manager) => manager.appendThinkingLevelChange("high"),
  },
  {
    toSession: (session) => session.appendActiveToolsChange(["read", "write"]),
    toManager: (manager) => manager.appendActiveToolsChange(["read", "write"]),
  },
  {
    toSession: (session, firstKeptEntryId) =>
      session.appendCompaction({
        summary: "sum",
        firstKeptEntryId,
        tokensBefore: 9,
        details: { a: 1 },
        fromHook: true,
        usage,
      }),
    toManager: (manager, entry) => manager.appendCompaction("sum", entry, 9, { a: 1 }, true, usage),
  },
  {
    toSession: (session) => session.appendCompaction({ summary: "all", tokensBefore: 9, preserveData: [1] }),
    toManager: (manager) => manager.appendCompaction("all", null, 9, undefined, undefined, [1]),
  },
  {
    toSession: (session) => session.appendCustomEntry("note", { n: 1 }),
    toManager: (manager) => manager.appendCustomEntry("note", { n: 1 }),
  },
  {
    toSession: (session) => session.appendCustomMessageEntry({ customType: "c", content: "x", display: false }),
    toManager: (manager) => manager.appendCustomMessageEntry("c", "x", false),
  },
  {
    toSession: (session, entry) => session.appendContextEdit(entry, null),
    toManager: (manager, entry) => manager.appendContextEdit(entry, null),
  },
  {
    toSession: (session) => session.appendSessionInit({ systemPrompt: "s", task: "t", tools: ["read"] }),
    toManager: (manager) => manager.appendSessionInit({ systemPrompt: "s", task: "t", tools: ["read"] }),
  },
  {
    toSession: (session) => session.appendTtsrInjection(["rule"]),
    toManager: (manager) => manager.appendTtsrInjection(["rule"]),
  },
  {
    toSession: (session, entry) => session.appendLabel(entry, " here "),
    toManager: (manager, entry) => manager.appendLabelChange(entry, " here "),
  },
  {
    toSession: (session, entry) => session.appendLabel(entry),
    toManager: (manager, entry) => manager.appendLabelChange(entry),
  },
  {
    toSession: (session) => session.appendSessionName("a\nname"),
    toManager: (manager) => manager.appendSessionInfo("a\nname"),
  },
  {
    toSession: (session) => session.appendUsage({ kind: "warm", provider: "p", model: "m", usage }),
    toManager: (manager) => manager.appendUsage("warm", "p", "m", usage),
  },
  {
    toSession: (session, entry) => session.moveTo(entry),
    toManager: (manager, entry) => manager.branch(entry),
  },
  {
    toSession: (session) => session.moveTo(null),
    toManager: (manager) => manager.resetLeaf(),
  },
];

const summarised: Deed = {
  toSession: (session, entry) => session.moveTo(entry, { summary: "left", details: { a: 1 }, fromHook: false }),
  toManager: (manager, entry) => manager.branchWithSummary(entry, "left", { a: 1 }, false),
};

interface Step {
  readonly deed: Deed;
  readonly entry: number;
}

/** Both faces do all of it, in a new session whose first entry is a message. */
async function doneByBoth(
  steps: readonly Step[],
): Promise<{ session: Session; manager: SessionManager; path: string }> {
  const factory = counting();
  const path = join(temporaryFolder(), "s.jsonl");
  const log = asyncLog(JsonlLog.create(path, newHeader({ cwd: "/w" }, factory), [], { durability: "process" }));
  const host = await SessionHost.open(log, { durability: "process", factory });
  const session = new Session(
    new SessionStorage(host, { store: new MemoryStore(), ref: { id: host.id }, adopt: () => Promise.reject() }),
  );
  const manager = SessionManager.create("/w", temporaryFolder(), { durability: "process", factory: counting() });
  const outcome = async (work: () => unknown) => {
    try {
      return (await work()) ?? "done";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  for (const { deed, entry } of steps) {
    const entries = manager.getEntries();
    const id = entries[entry % Math.max(entries.length, 1)]?.id ?? "nowhere";
    expect(await outcome(() => deed.toManager(manager, id))).toBe(await outcome(() => deed.toSession(session, id)));
    expect(manager.getLeafId()).toBe(session.leafId);
  }
  return { session, manager, path };
}

const question = { deed: deeds[0] as Deed, entry: 0 };

test("Session and SessionManager write the same file, byte for byte, and read the same from it", async () => {
  const all = [...deeds, ...deeds].map((deed, index) => ({ deed, entry: index }));
  const { session, manager, path } = await doneByBoth([question, question, ...all]);
  expect(bytesOf(fileOf(manager))).toBe(bytesOf(path));
  expect(manager.getEntries()).toEqual(await session.getEntries());
  expect(manager.getTree()).toEqual(await session.getTree());
  expect(manager.getBranch()).toEqual(await session.getBranch());
  expect(manager.buildSessionContext()).toEqual(await session.buildContext());
  expect(manager.buildContextEntries()).toEqual(await session.buildContextEntries());
  expect(manager.getSessionName()).toBe(await session.getSessionName());
});

const anySteps = fc.array(fc.record({ deed: fc.constantFrom(...deeds), entry: fc.nat(50) }), {
  minLength: 1,
  maxLength: 30,
});

test("whatever is done, in whatever order, from setup alone to its end", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const { session, manager, path } = await doneByBoth([...steps, question]);
      expect(bytesOf(fileOf(manager))).toBe(bytesOf(path));
      expect(manager.buildSessionContext()).toEqual(await session.buildContext());
    }),
    { numRuns: process.env.BOUGH_CAMPAIGN ? 2000 : 60 },
  );
});

test("a summary of what is left is the same entry too", async () => {
  const answer = { deed: deeds[1] as Deed, entry: 0 };
  const { manager, path } = await doneByBoth([question, answer, question, { deed: summarised, entry: 1 }, question]);
  expect(bytesOf(fileOf(manager))).toBe(bytesOf(path));
});
