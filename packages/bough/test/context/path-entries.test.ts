import { expect, test } from "vitest";
import { getPathEntries } from "../../src/context/path-entries.ts";
import { chain, placed, user } from "./notation.ts";

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);
const tree = [...chain(user("u1"), user("u2"), user("u3")), placed(user("x1"), "u1"), placed(user("o1"), "gone")];

test("a path runs from its root to the leaf", () => {
  expect(ids(getPathEntries(tree, "u3"))).toEqual(["u1", "u2", "u3"]);
  expect(ids(getPathEntries(tree, "x1"))).toEqual(["u1", "x1"]);
});

test("omp-62 null and unknown leaves have no path", () => {
  expect(getPathEntries(tree, null)).toEqual([]);
  expect(getPathEntries(tree, "zz")).toEqual([]);
});

test("of several entries with one id the last counts", () => {
  const again = placed(user("u1", "again"), null);
  expect(getPathEntries([...tree, again], "x1")[0]).toBe(again);
});

test("pi-220 a lenient path begins where it is cut, a strict one is refused", () => {
  const circle = [placed(user("c1"), "c2"), placed(user("c2"), "c1"), placed(user("c3"), "c2")];
  const self = [placed(user("s1"), "s1")];
  expect(ids(getPathEntries(tree, "o1"))).toEqual(["o1"]);
  expect(ids(getPathEntries(circle, "c3"))).toEqual(["c2", "c3"]);
  expect(ids(getPathEntries(self, "s1"))).toEqual(["s1"]);
  const strict = (entries: typeof tree, leaf: string) => () => getPathEntries(entries, leaf, { strict: true });
  expect(strict(tree, "u3")()).toHaveLength(3);
  expect(strict(tree, "zz")).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(strict(tree, "o1")).toThrow(
    expect.objectContaining({ code: "unknown_parent", details: { parentId: "gone" } }),
  );
  expect(strict(circle, "c3")).toThrow(expect.objectContaining({ code: "invalid_session" }));
  expect(strict(self, "s1")).toThrow(expect.objectContaining({ code: "invalid_session" }));
});
