import { expect, test } from "vitest";
import { pathTo } from "../../src/tree/index.ts";
import { foldRecords } from "../support/fold.ts";

const base = `
  U(u1,-,"one")
  A(a1,u1,"1")
  U(u2,a1,"two")
  A(a2,u2,"2")
`;

interface History {
  readonly number: number;
  readonly title: string;
  /** What follows the base. */
  readonly records: string;
  readonly leaf: string | null;
  readonly path: string;
  readonly unknownLeaf?: string;
}

const histories: readonly History[] = [
  { number: 1, title: "nothing", records: "", leaf: "a2", path: "u1 a1 u2 a2" },
  { number: 2, title: "pi moved and labelled", records: 'L(l1,a1,u1,"x")', leaf: "a1", path: "u1 a1" },
  { number: 3, title: "pi moved and named", records: 'N(n1,a1,"x")', leaf: "a1", path: "u1 a1" },
  {
    number: 4,
    title: "pi goes on under a label",
    records: 'L(l1,a1,u1,"x")\nU(u3,l1,"three")\nA(a3,u3,"3")',
    leaf: "a3",
    path: "u1 a1 l1 u3 a3",
  },
  { number: 5, title: "the harness moves", records: "P(p1,a2,a1)", leaf: "a1", path: "u1 a1" },
  {
    number: 6,
    title: "pi continues under a leaf entry",
    records: 'P(p1,a2,a1)\nU(u3,p1,"three")\nA(a3,u3,"3")',
    leaf: "a3",
    path: "u1 a1 u2 a2 p1 u3 a3",
  },
  { number: 7, title: "bough moves", records: "P(p1,a1,a1)", leaf: "a1", path: "u1 a1" },
  { number: 8, title: "bough moves before everything", records: "P(p1,-,-)", leaf: null, path: "" },
  {
    number: 8,
    title: "pi continues after a move before everything",
    records: 'P(p1,-,-)\nU(u3,-,"three")\nA(a3,u3,"3")',
    leaf: "a3",
    path: "u3 a3",
  },
  { number: 9, title: "bough moves and labels", records: 'P(p1,a1,a1)\nL(l1,a1,u1,"x")', leaf: "a1", path: "u1 a1" },
  { number: 10, title: "oh-my-pi moved and quit", records: 'X(x1,a1,"session_exit",{})', leaf: "a1", path: "u1 a1" },
  { number: 11, title: "a stale label", records: 'U(u3,a2,"three")\nL(l1,a2,u1,"x")', leaf: "a2", path: "u1 a1 u2 a2" },
  {
    number: 11,
    title: "a stale label and the re-stated leaf",
    records: 'U(u3,a2,"three")\nL(l1,a2,u1,"x")\nP(p1,u3,u3)',
    leaf: "u3",
    path: "u1 a1 u2 a2 u3",
  },
  {
    number: 12,
    title: "bough's own marks carry the file's leaf",
    records: 'U(u3,a1,"three")\nX(x1,u3,"bough.intent",{})',
    leaf: "u3",
    path: "u1 a1 u3",
  },
  {
    number: 13,
    title: "the harness names a label with an entry under it",
    records: 'L(l1,a2,u1,"x")\nU(u3,l1,"three")\nP(p1,u3,l1)',
    leaf: "a2",
    path: "u1 a1 u2 a2",
  },
  {
    number: 14,
    title: "a leaf entry that names nothing",
    records: "P(p1,a2,nowhere)",
    leaf: "a2",
    path: "u1 a1 u2 a2",
    unknownLeaf: "p1",
  },
];

test.each(histories)("leaf history $number: $title", ({ records, leaf, path, unknownLeaf }) => {
  const tree = foldRecords(base + records);
  expect(tree.leaf).toBe(leaf);
  expect(
    pathTo(tree, tree.leaf)
      .heads.map((head) => head.id)
      .join(" "),
  ).toBe(path);
  expect(tree.diagnostics.map(({ code, entryId }) => [code, entryId])).toEqual(
    unknownLeaf === undefined ? [] : [["unknown_leaf", unknownLeaf]],
  );
});

test("leaf history 15: a usage entry under an earlier reply", () => {
  const tree = foldRecords(base);
  tree.add({ position: 4, id: "w1", parentId: "a1", type: "usage", timestamp: "2026-01-01T00:00:05.000Z" });
  expect(tree.leaf).toBe("a1");
});
