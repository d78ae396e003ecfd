import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { created, fileWith, header, idsOf, said, saidIn } from "./managers.ts";

function opened(...records: readonly (object | string)[]): SessionManager {
  return SessionManager.open(fileWith(header, ...records), undefined, undefined, { durability: "process" });
}

describe("of an empty session", () => {
  test("pi-46 pi-85 omp-12 there is no leaf, branch, tree or context", () => {
    const manager = created();
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getLeafEntry()).toBeUndefined();
    expect(manager.getBranch()).toEqual([]);
    expect(manager.getTree()).toEqual([]);
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getEntryCount()).toBe(0);
    expect(manager.buildSessionContext()).toMatchObject({
      messages: [],
      thinkingLevel: "off",
      model: null,
      activeToolNames: null,
    });
    expect(manager.buildContextEntries()).toEqual([]);
  });
});

describe("of a tree", () => {
  test("pi-67 pi-68 omp-13 omp-15 omp-16 paths run from root to leaf, and unknown ids lead nowhere", () => {
    const manager = created();
    const [a, b, c] = ["a", "b", "c"].map((text) => manager.appendMessage(user(text))) as [string, string, string];
    expect(idsOf(manager.getBranch())).toEqual([a, b, c]);
    expect(idsOf(manager.getBranch(b))).toEqual([a, b]);
    expect(manager.getBranch().map(({ parentId }) => parentId)).toEqual([null, a, b]);
    expect(manager.getBranch("nowhere")).toEqual([]);
    expect(manager.getBranch(null)).toEqual([]);
    expect(manager.getEntry("nowhere")).toBeUndefined();
    expect(manager.getChildren("nowhere")).toEqual([]);
    expect(manager.getChildren(c)).toEqual([]);
    expect(manager.getLabel("nowhere")).toBeUndefined();
  });

  test("pi-69 pi-71 omp-14 children stand in the order they were appended, whatever their clocks say", () => {
    const manager = opened(said("a", null), said("b", "a"), said("c", "a"), said("r", null), said("d", "a"));
    expect(idsOf(manager.getChildren("a"))).toEqual(["b", "c", "d"]);
    expect(idsOf(manager.getChildren(null))).toEqual(["a", "r"]);
  });

  test("pi-70 omp-18 omp-32 the tree has each entry once, with its children and its label", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    const b = manager.appendMessage(assistant("b"));
    manager.branch(a);
    const c = manager.appendMessage(assistant("c"));
    const label = manager.appendLabelChange(b, "kept");
    const [root, ...others] = manager.getTree();
    expect(others).toEqual([]);
    expect(root?.entry.id).toBe(a);
    expect(root?.children.map(({ entry }) => entry.id)).toEqual([
      b,
      ...idsOf(manager.getEntries().filter(({ type }) => type === "leaf")),
      c,
    ]);
    expect(root?.children[0]).toMatchObject({ label: "kept", labelTimestamp: manager.getEntry(label)?.timestamp });
    expect(root?.children[2]?.children.map(({ entry }) => entry.id)).toEqual([label]);
    const seen: string[] = [];
    const open = manager.getTree();
    for (let node = open.pop(); node; node = open.pop()) {
      seen.push(node.entry.id);
      open.push(...node.children);
    }
    expect(seen.sort()).toEqual(idsOf(manager.getEntries()).sort());
  });

  test("pi-73 omp-17 what reads return is the caller's, and entries are frozen", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    manager.appendMessage(assistant("b"));
    manager.getBranch().length = 0;
    manager.getEntries().reverse();
    manager.getTree()[0]?.children.pop();
    manager.getChildren(a).pop();
    expect(manager.getBranch()).toHaveLength(2);
    expect(manager.getEntries()[0]?.id).toBe(a);
    expect(manager.getTree()[0]?.children).toHaveLength(1);
    for (const record of [manager.getEntry(a), manager.getHeader()]) {
      expect(() => Object.assign(record as object, { id: "z" })).toThrow(TypeError);
    }
    expect(Object.isFrozen(opened(said("x", null)).getHeader())).toBe(true);
  });

  test("pi-36 pi-37 pi-38 omp-20 orphans, self-parents and cycles are roots, and paths through them end", () => {
    const manager = opened(said("a", "gone"), said("b", "b"), said("c", "d"), said("d", "c"), said("e", "d"));
    expect(manager.getTree().map(({ entry }) => entry.id)).toEqual(["a", "b", "c", "d"]);
    expect(idsOf(manager.getBranch("a"))).toEqual(["a"]);
    expect(idsOf(manager.getBranch("b"))).toEqual(["b"]);
    expect(manager.getBranch().at(-1)?.id).toBe("e");
    expect(manager.getDiagnostics().map(({ code }) => code)).toEqual(["orphan", "self_parent", "cycle", "cycle"]);
  });

  test("pi-42 omp-21 a chain of a hundred thousand is no trouble", () => {
    const chain = Array.from({ length: 100_000 }, (_, index) =>
      said(`m${index}`, index === 0 ? null : `m${index - 1}`),
    );
    const manager = opened(chain.map((record) => JSON.stringify(record)).join("\n"));
    expect(manager.getBranch()).toHaveLength(100_000);
    expect(manager.getTree()).toHaveLength(1);
    expect(manager.buildSessionContext().messages).toHaveLength(100_000);
    manager.branch("m50000");
    expect(manager.getBranch()).toHaveLength(50_001);
  });

  test("pi-45 of a file without moves the last entry is the leaf", () => {
    expect(opened(said("a", null), said("b", "a"), said("c", "a")).getLeafId()).toBe("c");
  });

  test("pi-44 a move that stands in the file is honoured", () => {
    const leaf = { type: "leaf", id: "l", parentId: "b", timestamp: "2026-01-01T00:00:02.000Z", targetId: "a" };
    expect(opened(said("a", null), said("b", "a"), leaf).getLeafId()).toBe("a");
  });

  test("pi-35 omp-10 an entry of an unknown type has its place on the path and says nothing", () => {
    const odd = { type: "odd", id: "x", parentId: "a", timestamp: "2026-01-01T00:00:02.000Z", own: [1] };
    const manager = opened(said("a", null), odd, said("b", "x"));
    expect(idsOf(manager.getBranch())).toEqual(["a", "x", "b"]);
    expect(manager.getEntry("x")).toEqual(odd);
    expect(saidIn(manager)).toEqual(["a", "b"]);
  });
});

describe("context", () => {
  test("pi-86 pi-87 omp-51 omp-56 the summary, what it keeps and what came after, of this path only", () => {
    const manager = created();
    manager.appendMessage(user("a"));
    manager.appendMessage(assistant("b"));
    const c = manager.appendMessage(user("c"));
    manager.appendMessage(assistant("d"));
    const compaction = manager.appendCompaction("sum", c, 100);
    manager.appendMessage(user("e"));
    expect(saidIn(manager)).toEqual(["sum", "c", "d", "e"]);
    expect(manager.buildContextEntries()[0]?.id).toBe(compaction);
    manager.branch(c);
    expect(saidIn(manager)).toEqual(["a", "b", "c"]);
  });

  test("pi-88 omp-57 of two compactions the last counts, with what it keeps itself", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    manager.appendCompaction("one", a, 1);
    const b = manager.appendMessage(user("b"));
    manager.appendCompaction("two", b, 1);
    manager.appendMessage(user("c"));
    expect(saidIn(manager)).toEqual(["two", "b", "c"]);
  });

  test("omp-60 a kept range may begin at an entry that is no message", () => {
    const manager = created();
    manager.appendMessage(user("a"));
    const model = manager.appendModelChange("p", "m");
    manager.appendMessage(user("b"));
    manager.appendCompaction("sum", model, 1);
    expect(saidIn(manager)).toEqual(["sum", "b"]);
    expect(manager.buildSessionContext().model).toEqual({ provider: "p", modelId: "m" });
  });

  test("omp-52 pi-79 pi-104 state, labels and an application's own data are not sent unless it says how", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    manager.appendThinkingLevelChange("low");
    manager.appendCustomEntry("note", { text: "n" });
    manager.appendLabelChange(a, "x");
    manager.appendTtsrInjection(["r"]);
    expect(saidIn(manager)).toEqual(["a"]);
    const note = () => [{ role: "user", content: "projected", timestamp: 0 }] as const;
    const { messages } = manager.buildSessionContext({ entryProjectors: { note } });
    expect(messages).toHaveLength(2);
  });
});

describe("usage", () => {
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 2,
    cacheWrite: 1,
    totalTokens: 18,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 },
  };

  test("pi-216 omp-81 omp-83 totals are over all branches, the same after reopening and after a move", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    manager.appendMessage(assistant("b", { provider: "p", model: "m", usage }));
    manager.branch(a);
    manager.appendMessage(assistant("c", { provider: "p", model: "m", usage }));
    manager.appendUsage("warm", "p", "m", usage);
    const totals = { input: 30, output: 15, cacheRead: 6, cacheWrite: 3, totalTokens: 54, cost: 0.75 };
    expect(manager.getUsageStatistics()).toEqual(totals);
    manager.resetLeaf();
    expect(manager.getUsageStatistics()).toEqual(totals);
    const again = SessionManager.open(manager.getSessionFile() as string);
    expect(again.getUsageStatistics()).toEqual(totals);
  });

  test("omp-82 replies without usage, or with a part of it, count what they say; an unknown price is null", () => {
    const manager = created();
    manager.appendMessage(assistant("a"));
    expect(manager.getUsageStatistics()).toMatchObject({ input: 0, totalTokens: 0, cost: null });
    const reply = { role: "assistant", content: [], provider: "p", model: "m", usage: { input: 3 }, timestamp: 1 };
    const entry = { type: "message", id: "b", parentId: null, timestamp: "2026-01-01T00:00:01.000Z", message: reply };
    expect(opened(entry).getUsageStatistics()).toMatchObject({ input: 3, output: 0, totalTokens: 3, cost: null });
  });

  test("omp-83 a branched session has the totals of its own entries", () => {
    const manager = created();
    const a = manager.appendMessage(assistant("a", { provider: "p", model: "m", usage }));
    manager.appendMessage(assistant("b", { provider: "p", model: "m", usage }));
    manager.createBranchedSession(a);
    expect(manager.getUsageStatistics()).toMatchObject({ totalTokens: 18, cost: 0.25 });
  });
});
