import fc from "fast-check";
import { expect, test } from "vitest";
import { commonAncestor, isOnPath, pathTo, SessionTree } from "../../src/tree/index.ts";
import { anyHeads } from "../support/any-heads.ts";
import { fold, foldDrawing, foldRecords } from "../support/fold.ts";

function idsTo(tree: SessionTree, leaf: string | null): string[] {
  return pathTo(tree, leaf).heads.map((head) => head.id);
}

test("pi-67 a path goes from the root to the entry asked for", () => {
  const tree = foldDrawing("a b(c d) e");
  expect(idsTo(tree, "d")).toEqual(["a", "b", "c", "d"]);
  expect(idsTo(tree, "e")).toEqual(["a", "b", "e"]);
  expect(pathTo(tree, "e").cut).toBeUndefined();
});

test("the path to nothing and to an unknown entry is empty", () => {
  const tree = foldDrawing("a b");
  expect(pathTo(tree, null)).toEqual({ heads: [] });
  expect(pathTo(tree, "nowhere")).toEqual({ heads: [] });
});

test("BR-19 the path leaves out what was rewound", () => {
  const tree = foldRecords(`
    U(u1,-,"tea?")
    A(a1,u1,"yes")
    U(u2,a1,"coffee?")
    A(a2,u2,"no")
    U(u3,a1,"water?")
    A(a3,u3,"ok")
  `);
  expect(idsTo(tree, tree.leaf)).toEqual(["u1", "a1", "u3", "a3"]);
  expect(tree.size).toBe(6);
});

test("BR-15 a path needs no order of records", () => {
  const tree = foldRecords('A(a1,u1,"answer")\nU(u2,a1,"next")\nU(u1,-,"question")');
  expect(idsTo(tree, "u2")).toEqual(["u1", "a1", "u2"]);
});

test("pi-36 BR-01 a path whose parent was never written begins after the gap and says so", () => {
  const tree = foldRecords('U(u1,-,"first")\nA(a1,u1,"1")\nU(u2,zz,"second")\nA(a2,u2,"2")');
  const path = pathTo(tree, "a2");
  expect(path.heads.map((head) => head.id)).toEqual(["u2", "a2"]);
  expect(path.cut).toMatchObject({ code: "orphan", entryId: "u2" });
});

test("pi-37 BR-23 an entry that is its own parent begins its path", () => {
  const tree = foldRecords('U(c,c,"self")\nA(d,c,"child")');
  const path = pathTo(tree, "d");
  expect(path.heads.map((head) => head.id)).toEqual(["c", "d"]);
  expect(path.cut).toMatchObject({ code: "self_parent", entryId: "c" });
});

test("pi-38 BR-23 a path into a cycle ends and says so", () => {
  const tree = foldRecords('U(a,b,"one")\nA(b,a,"two")\nU(x,b,"tail")');
  const path = pathTo(tree, "x");
  expect(path.heads.map((head) => head.id)).toEqual(["b", "x"]);
  expect(path.cut).toMatchObject({ code: "cycle", entryId: "b" });
});

test("every path ends, at the entry asked for, each step a parent of the next", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const tree = fold(heads);
      for (const { id } of tree.heads()) {
        const path = pathTo(tree, id).heads;
        expect(path.at(-1)?.id).toBe(id);
        expect(new Set(path).size).toBe(path.length);
        for (const [index, head] of path.entries()) {
          if (index > 0) expect(head.parentId).toBe(path[index - 1]?.id);
        }
      }
    }),
  );
});

test("a path begins at a root, or says why not", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const tree = fold(heads);
      for (const { id } of tree.heads()) {
        const path = pathTo(tree, id);
        expect(path.heads[0]?.parentId === null).toBe(path.cut === undefined);
      }
    }),
  );
});

test("the common ancestor is the deepest entry of both paths", () => {
  const tree = foldDrawing("a b(c d)(e f) g - h");
  expect(commonAncestor(tree, "d", "f")).toBe("b");
  expect(commonAncestor(tree, "d", "c")).toBe("c");
  expect(commonAncestor(tree, "g", "g")).toBe("g");
  expect(commonAncestor(tree, "g", "h")).toBeNull();
  expect(commonAncestor(tree, null, "h")).toBeNull();
  expect(commonAncestor(tree, "nowhere", "h")).toBeNull();
});

test("an entry is on the path to itself and to what comes after it", () => {
  const tree = foldDrawing("a b(c) d");
  expect(isOnPath(tree, "b", "b")).toBe(true);
  expect(isOnPath(tree, "a", "c")).toBe(true);
  expect(isOnPath(tree, "c", "d")).toBe(false);
  expect(isOnPath(tree, "a", null)).toBe(false);
});

test("a chain of 200,000 entries has its path", () => {
  const tree = new SessionTree();
  for (let index = 0; index < 200_000; index++) {
    const parentId = index === 0 ? null : `e${index - 1}`;
    tree.add({ position: index, id: `e${index}`, parentId, type: "message", timestamp: "" });
  }
  expect(pathTo(tree, tree.leaf).heads).toHaveLength(200_000);
  expect(commonAncestor(tree, "e199999", "e100000")).toBe("e100000");
});
