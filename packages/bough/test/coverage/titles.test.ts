import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { checklists } from "./checklists.ts";
import { faults } from "./faults.ts";

const packages = resolve(import.meta.dirname, "../../..");
const places = ["bough/test", "bough/src/testing", "harness/test", "cli/test"].map((place) => join(packages, place));
const id = "(?:[A-Z]{2}-\\d+|pi-\\d+b?|omp-\\d+a?)";

/** The ids that titles of tests begin with: `"pi-29 CR-01 a torn tail …"`. */
function testedIds(): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const source of sources()) {
    for (const [, leading = ""] of source.matchAll(new RegExp(`["'\`]((?:${id}[,:]? )+)`, "g"))) {
      for (const [found] of leading.matchAll(new RegExp(id, "g"))) ids.add(found);
    }
  }
  return ids;
}

function* sources(): Generator<string> {
  for (const place of places) {
    for (const file of readdirSync(place, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || !file.name.endsWith(".ts") || file.parentPath.endsWith("coverage")) continue;
      yield readFileSync(join(file.parentPath, file.name), "utf8");
    }
  }
}

test("every fault and behaviour that stands as tested has a test, and no test names an id that stands nowhere", () => {
  const standings = { ...faults, ...checklists };
  const tested = testedIds();
  const untested = Object.keys(standings).filter((known) => standings[known] === "tested" && !tested.has(known));
  expect(untested).toEqual([]);
  expect([...tested].filter((found) => !(found in standings))).toEqual([]);
});
