import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

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
