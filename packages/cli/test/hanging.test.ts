import { expect, test } from "vitest";
import { hanging } from "../src/hanging.ts";
import { overview } from "../src/overview.ts";

test("a text is broken between words, and only where it has to be", () => {
  expect(hanging("one two three", { indent: 2, lineLength: 9 })).toBe("one two\n  three");
  expect(hanging("a verylongword b", { indent: 2, lineLength: 6 })).toBe("a\n  verylongword\n  b");
  expect(hanging("one two", { indent: 2, lineLength: Number.POSITIVE_INFINITY })).toBe("one two");
});

test("the overview fits a terminal of 80 columns", () => {
  expect(
    overview()
      .split("\n")
      .filter((line) => line.length > 80),
  ).toEqual([]);
});
