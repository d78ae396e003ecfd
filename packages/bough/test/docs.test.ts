import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./support/child.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../../..");
const textOf = (path: string) => readFileSync(resolve(root, path), "utf8");
const matches = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found);

test("docs/errors.md explains exactly the codes of errors.ts, in its order", () => {
  const source = textOf("packages/bough/src/errors.ts");
  const table = /interface ErrorDetails \{(.*?)\n\}/s.exec(source)?.[1] ?? "";
  const codes = matches(table, /^ {2}(\w+):/gm);
  expect(codes.length).toBeGreaterThan(20);
  expect(matches(textOf("docs/errors.md"), /^### `(\w+)`\nWhen: .*\n(?:.+\n)*?Do: /gm)).toEqual(codes);
});

test("docs/errors.md explains exactly the diagnostics, in their order", () => {
  const codes = matches(textOf("packages/bough/src/entry/diagnostic.ts"), /^ {2}\| "(\w+)"/gm);
  expect(codes.length).toBeGreaterThan(10);
  expect(matches(textOf("docs/errors.md"), /^\| `(\w+)` \|/gm)).toEqual(codes);
});

test.each(["README.md", "packages/bough/README.md"])(
  "the example in %s has at most 15 lines of code and runs",
  async (path) => {
    const [code = ""] = matches(textOf(path), /^```ts\n(.*?)^```/gms);
    expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(15);
    const cwd = temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"), "junction");
    writeFileSync(join(cwd, "example.ts"), code);
    const { exitCode, stdout, stderr } = await runProgram("example.ts", [], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("2 2\n");
  },
);

test("the map in README.md names every subpath, folder and document there is", () => {
  const readme = textOf("README.md");
  const subpaths = Object.keys(JSON.parse(textOf("packages/bough/package.json")).exports);
  const doors = subpaths
    .filter((subpath) => subpath !== "./package.json")
    .map((subpath) => subpath.replace(/^\./, "bough"));
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const documents = readdirSync(join(root, "docs")).map((name) => `docs/${name}`);
  const missing = [...doors, ...packages, ...documents].filter((name) => !readme.includes(name));
  expect(missing).toEqual([]);
  for (const [, target = ""] of readme.matchAll(/\]\(([^)]+)\)/g)) expect(textOf(target)).not.toBe("");
});

test("ARCHITECTURE.md has the import table that is checked", () => {
  const config = /const mayImport = \{\n(.*?)\n\};/s.exec(textOf(".dependency-cruiser.mjs"))?.[1] ?? "";
  const row = (line: string) => matches(line, /["`]([\w/-]+)["`]/g);
  const checked = Object.fromEntries(
    config.split("\n").map((line) => {
      const [folder = "", allowed = ""] = line.split(/: (?=\[)/);
      return [folder.trim().replaceAll('"', ""), row(allowed)];
    }),
  );
  const section = textOf("ARCHITECTURE.md").split("| folder | may import | Node |")[1]?.split("\n\n")[0] ?? "";
  const printed = Object.fromEntries(
    section
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => {
        const [, folder = "", allowed = ""] = line.split("|");
        return [row(folder)[0], row(allowed)];
      }),
  );
  expect(Object.keys(checked).length).toBeGreaterThan(5);
  expect(printed).toEqual(checked);
});
