import fc from "fast-check";
import { expect, test } from "vitest";
import { type EntryHead, headOf } from "../../src/entry/head.ts";
import { HeadIndex } from "../../src/session/head-index.ts";
import { entriesOf } from "../../src/testing/index.ts";
import { Ascent } from "../../src/tree/path.ts";
import { anyHeads } from "../support/any-heads.ts";

const heads = entriesOf(`
  U(u1,-,"one")
  A(a1,u1,"1")
  U(u2,a1,"two")
  A(a2,u2,"2")
`).map(headOf);

/** Hands out one head at a time, and fails once in front of the head of `fault`. */
function backwards(fault?: string) {
  let [left, isFaulty] = [heads.length, fault !== undefined];
  return {
    stretch(): readonly EntryHead[] | undefined {
      if (isFaulty && heads[left - 1]?.id === fault) {
        isFaulty = false;
        throw new Error("made to fail");
      }
      return left === 0 ? undefined : heads.slice(--left, left + 1);
    },
    mayHold: () => true,
  };
}

/** So many heads at a time, of all but those that are added. */
function stretches(heads: readonly EntryHead[], size: number) {
  let end = heads.length;
  return {
    stretch(): readonly EntryHead[] | undefined {
      const stretch = heads.slice(Math.max(0, end - size), end);
      end -= stretch.length;
      return stretch.length === 0 ? undefined : stretch;
    },
    mayHold: () => true,
  };
}

test("an id is looked for no further back than it stands", () => {
  const index = new HeadIndex({}, backwards());
  expect(index.get("u2")?.parentId).toBe("a1");
  expect(index.knows("a1")).toBe(false);
  expect(index.leaf).toBe("a2");
  expect(index.isWhole).toBe(false);
  expect(index.has("nowhere")).toBe(false);
  expect(index.knows("u1")).toBe(true);
});

test("what was read before reading failed is known, and the tree is whole when it goes on", () => {
  const index = new HeadIndex({}, backwards("a1"));
  expect(() => index.tree).toThrow();
  expect(["a2", "u2", "a1"].map((id) => index.knows(id))).toEqual([true, true, false]);
  expect(
    index.tree
      .heads()
      .map(({ id }) => id)
      .toArray(),
  ).toEqual(["u1", "a1", "u2", "a2"]);
  expect(index.tree.leaf).toBe("a2");
});

test("a walk by the starts of chains meets all of a path that is no message, in its order", () => {
  fc.assert(
    fc.property(anyHeads, fc.nat(4), (heads, behind) => {
      const older = heads.slice(0, Math.max(0, heads.length - behind));
      const opened = () => {
        const index = new HeadIndex({}, stretches(older, 3));
        for (const head of heads.slice(older.length)) index.add(head);
        return index;
      };
      for (const { id } of heads) {
        const others = new Ascent(opened(), id).whole().heads.filter(({ type }) => type !== "message");
        const index = opened();
        const starts = new Ascent({ get: (from) => index.chainStart(from) }, id).whole().heads;
        expect(starts.filter(({ type }) => type !== "message")).toEqual(others);
      }
    }),
    { numRuns: 2000 },
  );
});

test("a walk by chains meets what a walk entry by entry meets", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const leaf = heads.at(-1)?.id ?? null;
      const byId = new Map(heads.map((head) => [head.id, head]));
      const met = new Set<string>();
      for (let head = byId.get(leaf ?? ""); head && !met.has(head.id); head = byId.get(head.parentId ?? "")) {
        met.add(head.id);
      }
      for (const { id } of heads) {
        expect(new HeadIndex({}, stretches(heads, 3)).isMetFrom(leaf, id)).toBe(met.has(id));
      }
    }),
    { numRuns: 1000 },
  );
});
