import { describe, expect, test } from "vitest";
import { assistant, toolResult, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { bytesOf, created, exists, fileOf, idsOf, linesIn, refusal, saidIn, typesOf } from "./managers.ts";

const usage = {
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite: 4,
  totalTokens: 10,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};

/** A conversation of three messages, stored. */
function conversation(): { manager: SessionManager; a: string; b: string; c: string } {
  const manager = created();
  const a = manager.appendMessage(user("a"));
  const b = manager.appendMessage(assistant("b"));
  return { manager, a, b, c: manager.appendMessage(user("c")) };
}

function reopened(manager: SessionManager): SessionManager {
  return SessionManager.open(fileOf(manager), undefined, undefined, { durability: "process" });
}

describe("appenders", () => {
  test("pi-47 pi-48 omp-4 omp-23 each returns the id of a child of the leaf, which becomes the leaf", () => {
    const manager = created();
    const first = manager.appendMessage(user("a"));
    expect(manager.getLeafEntry()).toMatchObject({ id: first, parentId: null });
    const appenders: readonly (() => string)[] = [
      () => manager.appendMessage(assistant("b")),
      () => manager.appendThinkingLevelChange("high"),
      () => manager.appendModelChange("p", "m"),
      () => manager.appendActiveToolsChange(["read"]),
      () => manager.appendCustomEntry("note", { n: 1 }),
      () => manager.appendCustomMessageEntry("aside", "psst", false),
      () => manager.appendSessionInit({ systemPrompt: "s", task: "t", tools: [] }),
      () => manager.appendTtsrInjection(["r"]),
      () => manager.appendContextEdit(first, null),
      () => manager.appendCompaction("sum", first, 10),
    ];
    for (const append of appenders) {
      const before = manager.getLeafId();
      const id = append();
      expect(manager.getLeafEntry()).toMatchObject({ id, parentId: before });
    }
    expect(idsOf(manager.getBranch())).toHaveLength(11);
    expect(reopened(manager).getEntries()).toEqual(manager.getEntries());
  });

  test("pi-48 pi-81 marks return their own id and leave the leaf where it is", () => {
    const { manager, a, c } = conversation();
    const marks = [
      manager.appendLabelChange(a, "start"),
      manager.appendSessionInfo("name"),
      manager.setSessionName("other name"),
      manager.appendUsage("warm", "p", "m", usage, "cache"),
    ];
    expect(typesOf(marks.map((id) => manager.getEntry(id) as { type: string }))).toEqual([
      "label",
      "session_info",
      "session_info",
      "usage",
    ]);
    expect(manager.getLeafId()).toBe(c);
    expect(idsOf(manager.getBranch())).not.toContain(marks[0]);
    expect(manager.getEntry(manager.appendMessage(assistant("d")))).toMatchObject({ parentId: c });
  });

  test("omp-5 the file has a header, a line an entry, and nothing else", () => {
    const { manager, a } = conversation();
    manager.appendLabelChange(a, "x");
    manager.branch(a);
    const bytes = bytesOf(fileOf(manager));
    expect(bytes.endsWith("\n")).toBe(true);
    expect(bytes.startsWith('{"type":"session","version":3')).toBe(true);
    expect(bytes).not.toContain("\r");
    expect(linesIn(fileOf(manager))).toHaveLength(1 + manager.getEntryCount());
  });

  test("pi-5 omp-6 whatever is done adds to the end of the file", () => {
    const { manager, a, b } = conversation();
    const steps: readonly (() => unknown)[] = [
      () => manager.branch(a),
      () => manager.appendMessage(assistant("d")),
      () => manager.appendLabelChange(b, "x"),
      () => manager.resetLeaf(),
      () => manager.branchWithSummary(b, "went back"),
      () => manager.appendCompaction("sum", null, 5),
      () => manager.appendSessionInfo("n"),
    ];
    for (const step of steps) {
      const before = bytesOf(fileOf(manager));
      step();
      expect(bytesOf(fileOf(manager)).startsWith(before)).toBe(true);
      expect(bytesOf(fileOf(manager)).length).toBeGreaterThan(before.length);
    }
  });

  test("omp-27 a model is named by provider and id, or by both in one with a role", () => {
    const manager = created();
    manager.appendModelChange("p", "m");
    expect(manager.getLeafEntry()).toMatchObject({ provider: "p", modelId: "m", model: "p/m" });
    manager.appendModelChange("p/x/y");
    expect(manager.getLeafEntry()).toMatchObject({ provider: "p", modelId: "x/y", model: "p/x/y" });
    expect(manager.getLeafEntry()).not.toHaveProperty("role");
    manager.appendModelChange("q/small", "smol");
    expect(manager.getLeafEntry()).toMatchObject({ provider: "q", modelId: "small", role: "smol" });
    expect(manager.buildSessionContext().model).toEqual({ provider: "p", modelId: "x/y" });
    expect(() => manager.appendModelChange("nothing")).toThrow(refusal("invalid_entry", { field: "model" }));
  });

  test("pi-91 omp-26 pi-229 a compaction stores what it was given, and without a kept entry its own id", () => {
    const { manager, b } = conversation();
    const bare = manager.appendCompaction("one", b, 10);
    expect(Object.keys(manager.getEntry(bare) as object).sort()).toEqual(
      ["firstKeptEntryId", "id", "parentId", "state", "summary", "timestamp", "tokensBefore", "type"].sort(),
    );
    const hooked = manager.appendCompaction("two", b, 10, { readFiles: ["x"] }, true, usage);
    expect(manager.getEntry(hooked)).toMatchObject({ details: { readFiles: ["x"] }, fromHook: true, usage });
    expect(manager.getEntry(hooked)).not.toHaveProperty("preserveData");
    const preserving = manager.appendCompaction("three", null, 10, undefined, false, { kept: 1 });
    expect(manager.getEntry(preserving)).toMatchObject({ firstKeptEntryId: preserving, preserveData: { kept: 1 } });
    expect(manager.getEntry(preserving)).not.toHaveProperty("details");
    expect(saidIn(manager)).toEqual(["three"]);
  });

  test("an unknown first kept entry is refused", () => {
    const { manager, c } = conversation();
    expect(() => manager.appendCompaction("s", "nowhere", 1)).toThrow(refusal("not_found"));
    expect(manager.getLeafId()).toBe(c);
  });

  test("omp-25 falsy data is kept, and no data leaves no key", () => {
    const manager = created();
    manager.appendMessage(user("a"));
    const values = [0, "", false, null];
    const ids = values.map((data) => manager.appendCustomEntry("note", data));
    const bare = manager.appendCustomEntry("note");
    const again = reopened(manager);
    expect(ids.map((id) => again.getEntry(id))).toEqual(values.map((data) => expect.objectContaining({ data })));
    expect(again.getEntry(bare)).not.toHaveProperty("data");
  });

  test("omp-28 omp-53 omp-54 pi-101 a custom message has text or blocks and is sent, shown or not", () => {
    const manager = created();
    const blocks = [
      { type: "text", text: "see" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ] as const;
    manager.appendCustomMessageEntry("note", "psst", false, { n: 1 });
    manager.appendCustomMessageEntry("note", blocks, true);
    expect(manager.buildSessionContext().messages).toMatchObject([
      { role: "custom", customType: "note", content: "psst", display: false, details: { n: 1 } },
      { role: "custom", customType: "note", content: blocks, display: true },
    ]);
  });

  test("omp-8 omp-9 a task's start and injected rules are kept, and the rules of the path add up", () => {
    const manager = created();
    const init = { systemPrompt: "be", task: "do", tools: ["read"], outputSchema: { type: "object" } };
    const id = manager.appendSessionInit(init);
    expect(manager.getEntry(id)).toMatchObject(init);
    const root = manager.appendTtsrInjection(["a", "b"]);
    manager.appendTtsrInjection(["b", "c"]);
    expect(manager.getInjectedTtsrRules()).toEqual(["a", "b", "c"]);
    manager.branch(root);
    expect(manager.getInjectedTtsrRules()).toEqual(["a", "b"]);
  });

  test("pi-106 pi-107 an edit counts on its path, and one elsewhere is refused", () => {
    const { manager, a, b, c } = conversation();
    manager.appendContextEdit(c, { content: "C" });
    expect(saidIn(manager)).toEqual(["a", "b", "C"]);
    manager.branch(b);
    expect(saidIn(manager)).toEqual(["a", "b"]);
    expect(() => manager.appendContextEdit(c, null)).toThrow(refusal("invalid_entry", { field: "targetId" }));
    expect(() => manager.appendContextEdit("nowhere", null)).toThrow(refusal("not_found"));
    manager.appendContextEdit(a, null);
    expect(saidIn(manager)).toEqual(["b"]);
  });

  test("pi-65 what is no JSON is refused before anything is stored, and what was passed can be changed afterwards", () => {
    const { manager, c } = conversation();
    const before = bytesOf(fileOf(manager));
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const data of [1n, () => 1, Number.NaN, cyclic, new Map(), { deep: [Symbol("x")] }]) {
      expect(() => manager.appendCustomEntry("note", data)).toThrow(refusal("invalid_entry"));
    }
    expect(bytesOf(fileOf(manager))).toBe(before);
    expect(manager.getLeafId()).toBe(c);
    const data = { list: [1] };
    const id = manager.appendCustomEntry("note", data);
    data.list.push(2);
    expect(manager.getEntry(id)).toMatchObject({ data: { list: [1] } });
    expect(Object.isFrozen(manager.getEntry(id))).toBe(true);
  });

  test("summaries are no messages, and a message of no known shape is refused", () => {
    const manager = created();
    const summary = { role: "branchSummary", summary: "s", fromId: "root" } as const;
    expect(() => manager.appendMessage(summary)).toThrow(refusal("invalid_entry", { field: "message.role" }));
    expect(() => manager.appendMessage(user(3 as never))).toThrow(refusal("invalid_entry"));
    expect(() => manager.appendCustomEntry("bough.own", 1)).toThrow(refusal("invalid_entry", { field: "customType" }));
    expect(exists(manager)).toBe(false);
    expect(manager.getEntries()).toEqual([]);
  });

  test("pi-16 members that are undefined are not written", () => {
    const { manager } = conversation();
    manager.appendCustomMessageEntry("note", "x", true, { shown: undefined, n: 1 });
    expect(bytesOf(fileOf(manager))).toContain('"details":{"n":1}');
  });

  test("omp-3 omp-73 a thousand appends stand in their order under a thousand ids", () => {
    const manager = created();
    const ids = Array.from({ length: 1000 }, (_, index) => manager.appendMessage(user(`${index}`)));
    expect(new Set(ids).size).toBe(1000);
    expect(idsOf(linesIn(fileOf(manager))).slice(1)).toEqual(ids);
    expect(idsOf(manager.getBranch())).toEqual(ids);
  });
});

describe("labels and names", () => {
  test("pi-76 pi-77 omp-29 omp-30 the last label counts, a blank one clears, also after reopening", () => {
    const { manager, a, b } = conversation();
    manager.appendLabelChange(a, "one");
    manager.appendLabelChange(a, " two ");
    expect(manager.getLabel(a)).toBe("two");
    for (const clear of [undefined, "", "  "]) {
      manager.appendLabelChange(b, "x");
      const cleared = manager.appendLabelChange(b, clear);
      expect(manager.getLabel(b)).toBeUndefined();
      expect(manager.getEntry(cleared)).not.toHaveProperty("label");
    }
    const again = reopened(manager);
    expect([again.getLabel(a), again.getLabel(b)]).toEqual(["two", undefined]);
  });

  test("pi-78 omp-24 a label of nothing is refused and nothing appended", () => {
    const { manager } = conversation();
    const before = bytesOf(fileOf(manager));
    expect(() => manager.appendLabelChange("nowhere", "x")).toThrow(refusal("not_found", { id: "nowhere" }));
    expect(bytesOf(fileOf(manager))).toBe(before);
    expect(manager.getEntryCount()).toBe(3);
  });

  test("pi-80 omp-31 omp-33 labels count from any branch, on marks and on what was left behind", () => {
    const { manager, a, c } = conversation();
    const label = manager.appendLabelChange(c, "left");
    manager.branch(a);
    manager.appendLabelChange(label, "label of a label");
    expect(manager.getLabel(c)).toBe("left");
    expect(manager.getLabel(label)).toBe("label of a label");
    expect(saidIn(manager)).toEqual(["a"]);
  });

  test("pi-82 a name is one line, the last one counts, a blank one clears", () => {
    const { manager } = conversation();
    expect(manager.getSessionName()).toBeUndefined();
    manager.appendSessionInfo(" two\nlines ");
    expect(manager.getSessionName()).toBe("two lines");
    manager.setSessionName("other");
    expect(reopened(manager).getSessionName()).toBe("other");
    manager.appendSessionInfo(" \n ");
    expect(manager.getSessionName()).toBeUndefined();
    expect(reopened(manager).getSessionName()).toBeUndefined();
  });
});

describe("moving", () => {
  test("pi-53 pi-172 omp-34 what comes after a move is a sibling, and the branch that was left is whole", () => {
    const { manager, a, b, c } = conversation();
    manager.branch(a);
    expect(manager.getLeafId()).toBe(a);
    const d = manager.appendMessage(assistant("d"));
    expect(idsOf(manager.getBranch())).toEqual([a, d]);
    expect(idsOf(manager.getBranch(c))).toEqual([a, b, c]);
    expect(idsOf(manager.getChildren(a)).filter((id) => id === b || id === d)).toEqual([b, d]);
  });

  test("pi-51 omp-35 an unknown entry is refused, and nothing changes", () => {
    const { manager, c } = conversation();
    const before = bytesOf(fileOf(manager));
    expect(() => manager.branch("nowhere")).toThrow(refusal("not_found"));
    expect(() => manager.branchWithSummary("nowhere", "s")).toThrow(refusal("not_found"));
    expect(manager.getLeafId()).toBe(c);
    expect(bytesOf(fileOf(manager))).toBe(before);
  });

  test("BR-17 omp-39 pi-52 a move is stored by itself", () => {
    const { manager, a } = conversation();
    manager.branch(a);
    expect(linesIn(fileOf(manager)).at(-1)).toMatchObject({ type: "leaf", targetId: a, parentId: a });
    expect(reopened(manager).getLeafId()).toBe(a);
  });

  test("BR-17 a move to where the session stands writes nothing", () => {
    const { manager, c } = conversation();
    const mark = manager.appendLabelChange(c, "x");
    const before = bytesOf(fileOf(manager));
    manager.branch(c);
    manager.branch(mark);
    expect(bytesOf(fileOf(manager))).toBe(before);
  });

  test("BR-18 pi-50 pi-72 omp-19 omp-36 a leaf of nothing is stored, sends nothing, and begins a second root", () => {
    const { manager } = conversation();
    manager.resetLeaf();
    const again = reopened(manager);
    expect(again.getLeafId()).toBeNull();
    expect(again.buildSessionContext().messages).toEqual([]);
    const root = again.appendMessage(user("second"));
    expect(again.getEntry(root)).toMatchObject({ parentId: null });
    expect(again.getTree().filter(({ entry }) => entry.type === "message")).toHaveLength(2);
  });

  test("BR-18 a move before there is a file is stored with it", () => {
    const manager = created();
    const model = manager.appendModelChange("p", "m");
    manager.appendThinkingLevelChange("high");
    manager.branch(model);
    expect(exists(manager)).toBe(false);
    manager.appendMessage(user("a"));
    const again = reopened(manager);
    expect(again.getBranch()).toEqual(manager.getBranch());
    expect(again.buildSessionContext()).toMatchObject({ thinkingLevel: "off", model: { provider: "p", modelId: "m" } });
  });

  test("omp-37 omp-55 a summary of what is left becomes a child of the target, the leaf, and part of the context", () => {
    const { manager, a, c } = conversation();
    const summary = manager.branchWithSummary(a, "tried b", { readFiles: [], modifiedFiles: ["x"] }, true, usage);
    expect(manager.getLeafEntry()).toMatchObject({
      id: summary,
      type: "branch_summary",
      parentId: a,
      fromId: c,
      fromHook: true,
      details: { modifiedFiles: ["x"] },
      usage,
    });
    expect(saidIn(manager)).toEqual(["a", "tried b"]);
    expect(typesOf(linesIn(fileOf(manager))).filter((type) => type === "leaf")).toEqual([]);
  });

  test("omp-38 a summary before any entry is a root; where nothing was left it says so", () => {
    const { manager, c } = conversation();
    const summary = manager.branchWithSummary(null, "all of it");
    expect(manager.getEntry(summary)).toMatchObject({ parentId: null, fromId: c });
    const empty = created();
    expect(empty.getEntry(empty.branchWithSummary(null, "none"))).toMatchObject({ parentId: null, fromId: "root" });
  });

  test("pi-74 a branch of a branch has the path of both", () => {
    const { manager, a, b } = conversation();
    manager.branch(b);
    const d = manager.appendMessage(user("d"));
    manager.appendMessage(assistant("e"));
    manager.branch(d);
    const f = manager.appendMessage(assistant("f"));
    expect(idsOf(manager.getBranch())).toEqual([a, b, d, f]);
    expect(saidIn(manager)).toEqual(["a", "b", "d", "f"]);
  });
});

test("pi-97 pi-98 pi-109 omp-58 omp-61 settings, labels and compactions of another branch change nothing here", () => {
  const { manager, b } = conversation();
  manager.appendModelChange("p", "m");
  manager.appendThinkingLevelChange("high");
  manager.appendActiveToolsChange(["read"]);
  manager.appendCompaction("all", null, 9);
  const other = manager.buildSessionContext();
  expect(other).toMatchObject({ thinkingLevel: "high", activeToolNames: ["read"], model: { provider: "p" } });
  manager.branch(b);
  expect(saidIn(manager)).toEqual(["a", "b"]);
  const here = manager.buildSessionContext();
  expect(here).toMatchObject({ thinkingLevel: "off", activeToolNames: null, model: null });
});

test("omp-49 a call without a result is as it was stored, and the context of each leaf is its own", () => {
  const manager = created();
  const ask = manager.appendMessage(user("read it"));
  const call = manager.appendMessage(assistant([{ type: "toolCall", id: "k", name: "read", arguments: {} }]));
  manager.appendMessage(toolResult("k", "read", "text"));
  manager.createBranchedSession(call);
  expect(idsOf(manager.getBranch())).toEqual([ask, call]);
  expect(saidIn(manager)).toEqual(["read it", "toolCall"]);
});

test("the readers' view follows the manager and can change nothing", () => {
  const { manager, b } = conversation();
  const view = manager.readOnly();
  manager.branch(b);
  expect(view.getLeafId()).toBe(b);
  manager.newSession();
  expect(view.getSessionId()).toBe(manager.getSessionId());
  expect(view.getEntries()).toEqual([]);
  const changing = ["appendMessage", "branch", "resetLeaf", "createBranchedSession", "newSession", "setSessionFile"];
  expect(changing.filter((name) => name in view)).toEqual([]);
});
