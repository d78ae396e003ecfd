import { describe, expect, test } from "vitest";
import { guideLimit, type OutlineRow, outline } from "../../src/outline/index.ts";
import { entry, reply, treeOf, user } from "./tree-of.ts";

const marks = { tee: "├─ ", corner: "└─ ", none: "" };

function drawn(rows: readonly OutlineRow[]): string[] {
  return rows.map(
    (row) => row.guides.map((guide) => (guide === "line" ? "│  " : "   ")).join("") + marks[row.connector] + row.id,
  );
}

describe("outline", () => {
  test("a chain without siblings stays flat", () => {
    const rows = outline(treeOf([user("a", null), reply("b", "a"), user("c", "b"), reply("d", "c")]));
    expect(drawn(rows)).toEqual(["a", "b", "c", "d"]);
    expect(rows.map(({ depth }) => depth)).toEqual([0, 0, 0, 0]);
    expect(rows.map(({ parentId }) => parentId)).toEqual([null, "a", "b", "c"]);
  });

  test("pi-190 the active path comes first, the others in log order, guides go on beside open siblings", () => {
    const tree = treeOf([
      user("a", null),
      reply("b", "a"),
      user("c", "b"),
      reply("d", "c"),
      user("e", "b"),
      user("f", "b"),
      reply("g", "f"),
      user("h", "g"),
      user("i", "g"),
    ]);
    expect(drawn(outline(tree))).toEqual(["a", "b", "├─ f", "│  g", "│  ├─ i", "│  └─ h", "├─ c", "│  d", "└─ e"]);
    const rows = outline(tree, { leaf: "d" });
    expect(drawn(rows).slice(0, 5)).toEqual(["a", "b", "├─ c", "│  d", "├─ e"]);
    expect(rows.filter((row) => row.onActivePath).map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
    expect(rows.find(({ id }) => id === "h")?.depth).toBe(2);
  });

  test("several roots stand side by side at depth 0, the active one first", () => {
    const rows = outline(
      treeOf([user("a", null), user("b", null), reply("c", "b"), entry("x", "lost", { type: "custom" })]),
      {
        leaf: "c",
      },
    );
    expect(drawn(rows)).toEqual(["b", "c", "a", "x"]);
    expect(rows.map(({ parentId }) => parentId)).toEqual([null, "b", null, null]);
  });

  test("omp-120 children of hidden entries hang from the nearest visible ancestor and branch there", () => {
    const tree = treeOf([user("a", null), reply("h", "a"), user("b", "h"), user("c", "h"), reply("d", "c")]);
    const rows = outline(tree, { leaf: "d", isVisible: ({ id }) => id !== "h" });
    expect(drawn(rows)).toEqual(["a", "├─ c", "│  d", "└─ b"]);
    expect(rows.map(({ parentId }) => parentId)).toEqual([null, "a", "c", "a"]);
  });

  test("a leaf of null has no active path", () => {
    expect(outline(treeOf([user("a", null)]), { leaf: null })[0]?.onActivePath).toBe(false);
  });

  test("labels and roles are on the row", () => {
    const tree = treeOf([user("a", null), entry("l", "a", { type: "label", targetId: "a", label: "start" })]);
    expect(outline(tree)[0]).toMatchObject({ id: "a", type: "message", role: "user", label: "start", position: 0 });
  });

  test("members of a cycle and their descendants stand exactly once", () => {
    const tree = treeOf([user("a", "c"), user("b", "a"), user("c", "b"), user("d", "c"), user("e", "e")]);
    expect(
      outline(tree)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("UI-02 a chain of 200,000 entries and a hidden one do not overflow the stack", () => {
    const chain = Array.from({ length: 200_000 }, (_, index) =>
      user(`e${index}`, index === 0 ? null : `e${index - 1}`),
    );
    const tree = treeOf(chain);
    expect(outline(tree)).toHaveLength(200_000);
    expect(outline(tree, { isVisible: ({ id }) => id === "e199999" })).toHaveLength(1);
  });

  test("UI-01 20,000 branch points one below the other keep at most the innermost guides", () => {
    const entries = [user("e0", null)];
    for (let index = 1; index <= 20_000; index++) {
      entries.push(user(`x${index}`, `e${index - 1}`), user(`e${index}`, `e${index - 1}`));
    }
    const rows = outline(treeOf(entries));
    expect(rows).toHaveLength(40_001);
    expect(Math.max(...rows.map(({ depth }) => depth))).toBe(20_000);
    expect(Math.max(...rows.map(({ guides }) => guides.length))).toBe(guideLimit);
  });
});
