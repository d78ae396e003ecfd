import fc from "fast-check";
import { expect, test } from "vitest";
import type { EntryHead } from "../../src/entry/head.ts";
import { kindOf } from "../../src/entry/kind.ts";
import { SessionTree, sessionName } from "../../src/tree/index.ts";
import { anyHeads, lastOfEach } from "../support/any-heads.ts";
import { fold, foldDrawing, foldRecords } from "../support/fold.ts";

const message = { type: "message", timestamp: "2026-01-01T00:00:00.000Z" };

function observed(tree: SessionTree) {
  const heads = [...tree.heads()];
  return {
    heads,
    leaf: tree.leaf,
    name: tree.name,
    labels: [...tree.labels()],
    diagnostics: tree.diagnostics,
    children: [null, ...heads.map((head) => head.id), "nowhere"].map((id) => tree.childrenOf(id)),
    positions: heads.map((head) => tree.positionOf(head.id)),
    statistics: tree.statistics.snapshot(),
  };
}

/** The rule as it is written down, without memory: the last record whose position can be resolved. */
function naiveLeaf(heads: readonly EntryHead[]): string | null {
  const byId = new Map(heads.map((head) => [head.id, head]));
  const positionOf = (id: string | null | undefined, walked: readonly string[]): string | null | undefined => {
    if (id === null) return null;
    const head = id === undefined || walked.includes(id) ? undefined : byId.get(id);
    if (!head || head.type === "damaged") return undefined;
    if (kindOf(head) !== "mark") return head.id;
    return positionOf(head.type === "leaf" ? head.targetId : head.parentId, [...walked, head.id]);
  };
  const positions = heads.map((head) => positionOf(head.id, []));
  return positions.findLast((position) => position !== undefined) ?? null;
}

test("pi-46 an empty session has no leaf, no name and no roots", () => {
  const tree = new SessionTree();
  expect([tree.leaf, tree.name, tree.size, tree.childrenOf(null)]).toEqual([null, undefined, 0, []]);
});

test("the leaf is what a naive reading of the rule says", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      expect(fold(heads).leaf).toBe(naiveLeaf(lastOfEach(heads)));
    }),
    { numRuns: 2000 },
  );
});

test("a history with repeated ids reads as one in which only the last of each was written", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      expect(observed(fold(heads))).toEqual(observed(fold(lastOfEach(heads))));
    }),
    { numRuns: 2000 },
  );
});

test("reading between additions changes nothing", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const watched = new SessionTree();
      for (const head of heads) {
        watched.add(head);
        observed(watched);
      }
      expect(observed(watched)).toEqual(observed(fold(heads)));
    }),
    { numRuns: 500 },
  );
});

test("every entry is a child of the parent it names, once", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const tree = fold(heads);
      const parents = new Set([null, "nowhere", ...heads.map((head) => head.parentId)]);
      const children = [...parents].flatMap((parent) => tree.childrenOf(parent).map((head) => head.id));
      expect(children.sort()).toEqual([...tree.heads()].map((head) => head.id).sort());
    }),
  );
});

test("pi-39 BR-22 repeated records count once, in their last place", () => {
  const tree = foldRecords(`
    N(n1,-,"job")
    X(x1,n1,"st",{"v":1})
    N(n1,-,"job")
    X(x1,n1,"st",{"v":1})
    M(m1,x1,"acme/large")
    U(u1,m1,"hello")
  `);
  expect([...tree.heads()].map((head) => head.id)).toEqual(["n1", "x1", "m1", "u1"]);
  expect(tree.childrenOf(null).map((head) => head.id)).toEqual(["n1"]);
  expect(tree.childrenOf("n1").map((head) => head.id)).toEqual(["x1"]);
  expect(tree.statistics.snapshot().entryCount).toBe(4);
});

test("BR-22 what a replaced record said is forgotten", () => {
  const tree = foldDrawing("u1 l1:label>u1 n1:session_info a1");
  tree.add({ position: 4, id: "l1", parentId: "u1", type: "label", timestamp: "", targetId: "a1", text: "other" });
  tree.add({ position: 5, id: "n1", parentId: "u1", ...message });
  expect(tree.labelOf("u1")).toBeUndefined();
  expect(tree.labelOf("a1")).toBe("other");
  expect(tree.name).toBeUndefined();
});

test("a record replaced by a damaged one is the leaf no longer", () => {
  const tree = foldDrawing("u1 a1");
  tree.add({ position: 2, id: "a1", parentId: "u1", type: "damaged", timestamp: "" });
  expect(tree.leaf).toBe("u1");
});

test("BR-20 the order written counts, not clocks", () => {
  const tree = foldRecords(`
    U(zz9,-,"sent from a fast clock",ts:+600)
    A(aa1,zz9,"reply from a slow clock",ts:+1)
    U(mm5,aa1,"again",ts:+601)
  `);
  expect(tree.leaf).toBe("mm5");
  expect([...tree.heads()].map((head) => head.id)).toEqual(["zz9", "aa1", "mm5"]);
});

test("BR-21 the order written counts, not ids", () => {
  const tree = foldRecords('U(ffffffff0001,-,"before the wrap")\nA(000000000001,ffffffff0001,"after the wrap")');
  expect(tree.leaf).toBe("000000000001");
});

test("pi-71 children with one time keep the order written", () => {
  const children = foldRecords('U(u1,-,"a")\nA(z,u1,"b",ts:+5)\nA(m,u1,"c",ts:+5)\nA(b,u1,"d",ts:+5)').childrenOf("u1");
  expect(children.map((head) => head.id)).toEqual(["z", "m", "b"]);
});

test("pi-69 children are the direct ones", () => {
  const tree = foldDrawing("a b(c d) e - f");
  expect(tree.childrenOf("b").map((head) => head.id)).toEqual(["c", "e"]);
  expect(tree.childrenOf(null).map((head) => head.id)).toEqual(["a", "f"]);
  expect(tree.childrenOf("nowhere")).toEqual([]);
});

test("ids that JavaScript knows are ids like others", () => {
  const tree = foldDrawing("__proto__ constructor(toString) hasOwnProperty");
  expect(tree.get("valueOf")).toBeUndefined();
  expect(tree.childrenOf("constructor").map((head) => head.id)).toEqual(["toString", "hasOwnProperty"]);
  expect(tree.labelOf("__proto__")).toBeUndefined();
});

test.each(["", "  ", "\t\n"])("pi-77 the label %j clears", (label) => {
  const tree = foldDrawing("u1 l1:label>u1 l2:label>u1");
  expect(tree.labelOf("u1")).toBe("l2");
  tree.add({ position: 3, id: "l3", parentId: "u1", type: "label", timestamp: "", targetId: "u1", text: label });
  expect(tree.labelOf("u1")).toBeUndefined();
  expect(tree.labels().size).toBe(0);
});

test("pi-77 a label without text clears", () => {
  const tree = foldDrawing("u1 l1:label>u1");
  tree.add({ position: 2, id: "l2", parentId: "u1", type: "label", timestamp: "", targetId: "u1" });
  expect(tree.labelOf("u1")).toBeUndefined();
});

test("pi-80 labels are the session's, on whichever branch they stand", () => {
  const tree = foldDrawing("u1 a1(u2 l1:label>a1) u3");
  expect(tree.labels().get("a1")).toEqual({ text: "l1", timestamp: "2026-01-01T00:00:03.000Z", entryId: "l1" });
});

test("pi-82 a name is one trimmed line, the latest wins and an empty one clears", () => {
  expect(sessionName("  two\r\nlines \n")).toBe("two lines");
  expect(sessionName(" \n ")).toBeUndefined();
  const tree = new SessionTree({ title: " from the header " });
  expect(tree.name).toBe("from the header");
  tree.add({ position: 0, id: "n1", parentId: null, type: "session_info", timestamp: "", text: "first" });
  tree.add({ position: 1, id: "t1", parentId: null, type: "title_change", timestamp: "", text: "second" });
  expect(tree.name).toBe("second");
  tree.add({ position: 2, id: "n2", parentId: null, type: "session_info", timestamp: "" });
  expect(tree.name).toBeUndefined();
});

test.each([
  ["a later record", "u1 p1>a1 a1 p2>nowhere", "a1", ["p2"]],
  ["itself", "u1 p1>p1", "u1", ["p1"]],
  ["a label", "u1 a1 l1:label>u1 p1>l1", "a1", []],
  ["another leaf record in a circle", "u1 p1>p2 p2>p1", "u1", ["p1", "p2"]],
])("a leaf record that names %s ends in one leaf", (_, drawing, leaf, unknown) => {
  const tree = foldDrawing(drawing);
  expect(tree.leaf).toBe(leaf);
  expect(tree.diagnostics.map((diagnostic) => diagnostic.entryId)).toEqual(unknown);
});

test("a leaf record without a target says nothing", () => {
  const tree = foldDrawing("u1");
  tree.add({ position: 1, id: "p1", parentId: "u1", type: "leaf", timestamp: "" });
  expect(tree.leaf).toBe("u1");
  expect(tree.diagnostics).toMatchObject([{ code: "unknown_leaf", entryId: "p1" }]);
});

test.each([
  ["on an entry", "root"],
  ["on nothing", "nowhere"],
])("a chain of 200,000 marks %s is added in passing", (_, parent) => {
  const tree = foldDrawing("root");
  for (let index = 0; index < 200_000; index++) {
    const parentId = index === 0 ? parent : `l${index - 1}`;
    tree.add({ position: index + 1, id: `l${index}`, parentId, type: "label", timestamp: "", targetId: "root" });
  }
  expect(tree.leaf).toBe("root");
  expect(tree.positionOf("l199999")).toBe(parent === "root" ? "root" : undefined);
});

test("a circle of marks with a long tail ends", () => {
  const tree = foldDrawing("root");
  for (let index = 0; index < 100_000; index++) {
    const parentId = index === 0 ? "l50" : `l${index - 1}`;
    tree.add({ position: index + 1, id: `l${index}`, parentId, type: "label", timestamp: "", targetId: "root" });
  }
  expect(tree.leaf).toBe("root");
  expect(tree.diagnostics).toHaveLength(100_000);
});

test("200,000 records repeated with other content are added in passing", () => {
  const tree = new SessionTree();
  for (let index = 0; index < 200_000; index++) {
    const id = `l${index % 1000}`;
    tree.add({ position: index, id, parentId: null, type: "label", timestamp: "", targetId: "u1", text: `${index}` });
  }
  expect(tree.size).toBe(1000);
  expect(tree.labelOf("u1")).toBe("199999");
});
