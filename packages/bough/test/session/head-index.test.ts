import { expect, test } from "vitest";
import { type EntryHead, headOf } from "../../src/entry/head.ts";
import { HeadIndex } from "../../src/session/head-index.ts";
import { entriesOf } from "../../src/testing/index.ts";

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
