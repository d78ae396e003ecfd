import { expect, test } from "vitest";
import { headOf } from "../../src/entry/head.ts";
import { kindOf } from "../../src/entry/kind.ts";
import { randomSession, smallestFailing } from "../../src/testing/index.ts";
import { pathTo, structureOf } from "../../src/tree/index.ts";
import { fold } from "../support/fold.ts";

test("one seed gives one session, and a shorter one is its start", () => {
  const long = randomSession(7, { length: 300 });
  expect(long).toEqual(randomSession(7, { length: 300 }));
  expect(randomSession(7, { length: 120 }).entries).toEqual(long.entries.slice(0, 120));
  expect(randomSession(8, { length: 300 }).entries).not.toEqual(long.entries);
});

test("what is not damaged has one place for every entry and no diagnostics", () => {
  for (let seed = 0; seed < 50; seed++) {
    const { entries } = randomSession(seed);
    const tree = fold(entries.map(headOf));
    expect(entries).toHaveLength(100);
    expect(tree.size).toBe(100);
    expect([...tree.diagnostics, ...structureOf(tree).diagnostics]).toEqual([]);
    expect(pathTo(tree, tree.leaf).cut).toBeUndefined();
  }
});

test("marks carry no children, and a compaction keeps what is on its path", () => {
  for (let seed = 0; seed < 50; seed++) {
    const { entries } = randomSession(seed);
    const tree = fold(entries.map(headOf));
    for (const head of tree.heads()) if (kindOf(head) === "mark") expect(tree.childrenOf(head.id)).toEqual([]);
    for (const entry of entries) {
      if (entry.type !== "compaction") continue;
      expect(pathTo(tree, entry.id).heads.map((head) => head.id)).toContain(entry.firstKeptEntryId);
    }
  }
});

test("over many seeds every type of entry and every kind of damage turns up", () => {
  const seen = new Set<string>();
  const found = new Set<string>();
  for (let seed = 0; seed < 50; seed++) {
    const { entries } = randomSession(seed, { damaged: true });
    for (const entry of entries) seen.add(entry.type);
    const tree = fold(entries.map(headOf));
    for (const { code } of [...tree.diagnostics, ...structureOf(tree).diagnostics]) found.add(code);
    if (tree.size < entries.length) found.add("duplicate_id");
  }
  const known = "message model_change thinking_level_change active_tools_change ttsr_injection context_edit compaction";
  const others = "branch_summary custom custom_message label session_info leaf usage damaged from_the_future";
  expect([...seen].sort()).toEqual(`${known} ${others}`.split(" ").sort());
  expect([...found].sort()).toEqual(["cycle", "duplicate_id", "orphan", "self_parent", "unknown_leaf"]);
});

test("the smallest failing start ends with the entry that fails", () => {
  const session = randomSession(3, { length: 200 });
  const smallest = smallestFailing(session, ({ entries }) => entries.some((entry) => entry.type === "label"));
  expect(smallest.entries.at(-1)?.type).toBe("label");
  expect(smallest.entries.slice(0, -1).some((entry) => entry.type === "label")).toBe(false);
});
