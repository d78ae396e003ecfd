import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sharedPath } from "../support/shared.ts";
import { faults } from "./faults.ts";

const log = sharedPath("reference", "faults.md");

test.skipIf(log === undefined)("the table holds exactly the faults of the log (skipped where it is missing)", () => {
  const known = readFileSync(log as string, "utf8").matchAll(/^#### ([A-Z]{2}-\d+)/gm);
  expect(Object.keys(faults).sort()).toEqual(Array.from(known, ([, fault]) => fault).sort());
});
