import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionTree, type Structure, structureOf } from "../../src/tree/index.ts";
import { anyHeads } from "../support/any-heads.ts";
import { fold, foldDrawing, foldRecords } from "../support/fold.ts";

/** Every entry in the order of a walk from the roots, without recursion. */
function walk(structure: Structure): string[] {
  const met: string[] = [];
  const open = structure.roots.map((head) => head.id).reverse();
  while (open.length > 0) {
    const id = open.pop() as string;
    met.push(id);
    const children = structure.childrenOf(id).map((head) => head.id);
    for (const child of children.reverse()) open.push(child);
  }
  return met;
}

function rootsOf(structure: Structure): string[] {
  return structure.roots.map((head) => head.id);
}

test("pi-72 every root is there, in the order written", () => {
  const structure = structureOf(foldDrawing("a b - c - d"));
  expect(rootsOf(structure)).toEqual(["a", "c", "d"]);
  expect(structure.diagnostics).toEqual([]);
});

test("pi-74 a branch of a branch keeps its shape", () => {
  expect(walk(structureOf(foldDrawing("a b(c(d) e) f")))).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("BR-15 children written before their parents stand under them", () => {
  const structure = structureOf(foldRecords('A(a1,u1,"answer")\nU(u2,a1,"next")\nU(u1,-,"question")'));
  expect(rootsOf(structure)).toEqual(["u1"]);
  expect(walk(structure)).toEqual(["u1", "a1", "u2"]);
  expect(structure.diagnostics).toEqual([]);
});

test("pi-36 BR-01 an entry whose parent was never written is a root and reported", () => {
  const structure = structureOf(foldRecords('U(u1,-,"first")\nA(a1,u1,"1")\nU(u2,zz,"second")\nA(a2,u2,"2")'));
  expect(rootsOf(structure)).toEqual(["u1", "u2"]);
  expect(structure.diagnostics).toMatchObject([{ code: "orphan", entryId: "u2" }]);
});

test("pi-37 pi-38 BR-23 members of a cycle are roots and reported", () => {
  const structure = structureOf(
    foldRecords('U(u1,-,"root")\nU(a,b,"one")\nA(b,a,"two")\nU(c,c,"self")\nU(x,a,"tail")'),
  );
  expect(rootsOf(structure)).toEqual(["u1", "a", "b", "c"]);
  expect(structure.childrenOf("a").map((head) => head.id)).toEqual(["x"]);
  expect(structure.childrenOf("b")).toEqual([]);
  expect(structure.diagnostics.map(({ code, entryId }) => [code, entryId])).toEqual([
    ["cycle", "a"],
    ["cycle", "b"],
    ["self_parent", "c"],
  ]);
});

test("pi-39 BR-22 repeated records make no further edges", () => {
  const structure = structureOf(
    foldRecords(
      'N(n1,-,"job")\nX(x1,n1,"st",{})\nN(n1,-,"job")\nX(x1,n1,"st",{})\nM(m1,x1,"acme/large")\nU(u1,m1,"hi")',
    ),
  );
  expect(walk(structure)).toEqual(["n1", "x1", "m1", "u1"]);
});

test("every entry stands in the structure exactly once", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const tree = fold(heads);
      expect(walk(structureOf(tree)).sort()).toEqual([...tree.heads()].map((head) => head.id).sort());
    }),
    { numRuns: 1000 },
  );
});

test("every root that names a parent is reported, once", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const structure = structureOf(fold(heads));
      const reported = structure.diagnostics.map((diagnostic) => diagnostic.entryId);
      expect(reported).toEqual(structure.roots.filter((head) => head.parentId !== null).map((head) => head.id));
    }),
  );
});

test("a chain of 200,000 entries and a cycle of as many have their structure", () => {
  const chain = new SessionTree();
  const cycle = new SessionTree();
  for (let index = 0; index < 200_000; index++) {
    const head = { position: index, id: `e${index}`, type: "message", timestamp: "" };
    chain.add({ ...head, parentId: index === 0 ? null : `e${index - 1}` });
    cycle.add({ ...head, parentId: `e${(index + 199_999) % 200_000}` });
  }
  expect(walk(structureOf(chain))).toHaveLength(200_000);
  expect(structureOf(cycle).roots).toHaveLength(200_000);
});
