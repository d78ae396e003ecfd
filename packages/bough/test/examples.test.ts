import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./support/child.ts";

const folder = resolve(import.meta.dirname, "../../../examples");

const printed: Readonly<Record<string, readonly string[]>> = {
  "01-branch.ts": ["2 21", "2 23", "user assistant user"],
  "02-resume.ts": ["1", "3"],
  "03-own-storage.ts": ["2 2"],
  "04-watch.ts": ["Is anybody watching?", "Yes.", "[name: done]"],
  "05-compact.ts": ["compactionSummary user", "true", "true", "203", "empty"],
  "06-agent.ts": ["remove refused", "remove ran", "answered", "> Clean up.", "> Anything else?"],
};

const names = readdirSync(folder).filter((name) => name.endsWith(".ts"));

test.each(names)("examples/%s runs, is short, and prints what it should", async (name) => {
  expect(readFileSync(join(folder, name), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  const { exitCode, stdout, stderr } = await runProgram(join(folder, name));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toEqual(printed[name]);
});
