import { expect, test } from "vitest";
import { IdIndex } from "../../src/entry/id-index.ts";

/** An index over ids whose hashes fall together. */
function indexOf(ids: Readonly<Record<number, string>>) {
  const idAt = (ordinal: number) => ids[ordinal] as string;
  return new IdIndex({ idAt, isIdAt: (ordinal, id) => idAt(ordinal) === id });
}

test("ids whose hashes are the same are told apart, on both sides of 0", () => {
  const index = indexOf({ [-2]: "b", [-1]: "a", 0: "c", 1: "a" });
  expect([-1, 0, -2].map((ordinal) => index.insert(ordinal, 7))).toEqual([undefined, undefined, undefined]);
  expect(index.insert(1, 7)).toBe(-1);
  index.replace(1, 7);
  expect(index.insert(-1, 7)).toBe(1);
  expect(index.size).toBe(3);
});

test("what was taken in is found however many came after it", () => {
  const ids = Array.from({ length: 5000 }, (_, index) => `id ${index}`);
  const index = indexOf(ids);
  for (const at of ids.keys()) index.insert(at, Math.imul(at, 0x9e3779b1));
  expect(ids.map((_, at) => index.insert(at, Math.imul(at, 0x9e3779b1)))).toEqual([...ids.keys()]);
  expect(index.get("nowhere")).toBeUndefined();
});
