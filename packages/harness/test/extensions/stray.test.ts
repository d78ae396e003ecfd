import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../../bough/test/support/child.ts";

const program = resolve(import.meta.dirname, "../programs/stray.ts");
const reported = JSON.stringify(
  [
    "background: later",
    "background: promise",
    "background: timer",
    "background: not_found",
    "setLabel: not_found",
  ].sort(),
);

test("what extensions leave uncaught in timers and promises is reported, and the process goes on", async () => {
  const { exitCode, stdout, stderr } = await runProgram(program);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toEqual([reported, "closed"]);
});

test.each(["rejects", "throws"])("a program that %s by itself ends as it ever did", async (how) => {
  const { exitCode, stdout, stderr } = await runProgram(program, [how]);
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain("closed");
  expect(stderr).toContain("the program's own");
});
