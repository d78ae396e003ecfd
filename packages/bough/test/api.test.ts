import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8"));
const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== "./package.json");

test.each(subpaths)("the values exported from %s are these", async (subpath) => {
  const source = resolve(import.meta.dirname, "..", manifest.exports[subpath]["bough-source"]);
  expect(Object.keys(await import(source)).sort()).toMatchSnapshot();
});

test("every subpath names its source, its types and its code, in that order", () => {
  for (const subpath of subpaths) {
    expect(Object.keys(manifest.exports[subpath])).toEqual(["bough-source", "types", "default"]);
  }
});
