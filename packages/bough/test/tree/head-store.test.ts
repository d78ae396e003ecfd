import fc from "fast-check";
import { expect, test } from "vitest";
import type { EntryHead } from "../../src/entry/head.ts";
import { HeadStore } from "../../src/tree/head-store.ts";
import { SessionTree } from "../../src/tree/index.ts";
import { anyHeads } from "../support/any-heads.ts";
import { fold } from "../support/fold.ts";

/** Heads of which the last were handed out first, and the others in stretches before. */
function readBackwards(heads: readonly EntryHead[], lengths: readonly number[], last: number): HeadStore {
  const store = new HeadStore();
  const older = heads.slice(0, heads.length - last);
  for (const head of heads.slice(older.length)) store.add(head);
  for (const length of lengths) store.addBefore(older.splice(-length));
  store.addBefore(older);
  return store;
}

test("a tree of heads that were read backwards is the tree of heads that were added", () => {
  fc.assert(
    fc.property(anyHeads, fc.array(fc.integer({ min: 1, max: 4 })), fc.nat({ max: 5 }), (heads, lengths, last) => {
      const tree = new SessionTree(
        { inheritedEntries: 3 },
        readBackwards(heads, lengths, Math.min(last, heads.length)),
      );
      const expected = fold(heads);
      const ids = [...expected.heads()].map(({ id }) => id);
      expect([...tree.heads()]).toEqual([...expected.heads()]);
      expect(ids.map((id) => tree.get(id))).toEqual([...expected.heads()]);
      expect(ids.toReversed().map((id) => tree.get(id))).toEqual([...expected.heads()].reverse());
      expect([tree.size, tree.leaf, tree.name]).toEqual([expected.size, expected.leaf, expected.name]);
      expect([...tree.labels()].sort()).toEqual([...expected.labels()].sort());
      expect(tree.diagnostics).toEqual(expected.diagnostics);
      expect([null, ...ids].map((id) => tree.childrenOf(id))).toEqual(
        [null, ...ids].map((id) => expected.childrenOf(id)),
      );
      const distinct = [...new Set(heads.map(({ id }) => id))];
      expect([...tree.inherited]).toEqual(distinct.slice(0, 3));
    }),
    { numRuns: 1000 },
  );
});

test("an entry that others named as their parent before it came has them as its children", () => {
  const message = { type: "message", timestamp: "2026-01-01T00:00:00.000Z" };
  const tree = new SessionTree();
  const add = (id: string, parentId: string | null, position: number) =>
    tree.add({ ...message, id, parentId, position });
  add("b", "a", 0);
  add("c", "a", 1);
  expect(tree.childrenOf("a").map(({ id }) => id)).toEqual(["b", "c"]);
  add("a", "a", 2);
  add("d", "a", 3);
  expect(tree.childrenOf("a").map(({ id }) => id)).toEqual(["b", "c", "a", "d"]);
});

test.each([undefined, null, 1, {}])("%s is the id of nothing", (id) => {
  const store = readBackwards([], [], 0);
  expect(store.has(id as unknown as string)).toBe(false);
  expect(store.get(id as unknown as string)).toBeUndefined();
});
