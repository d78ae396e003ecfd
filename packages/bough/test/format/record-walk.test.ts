import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import wabt from "wabt";
import { RecordWalk } from "../../src/format/record-walk.ts";

const folder = join(import.meta.dirname, "../../src/format");
const bytes = (text: string) => new TextEncoder().encode(text);
const walked = (walk: RecordWalk, text: string): string | undefined => {
  const found = walk.walk(bytes(text));
  return found && new TextDecoder().decode(found);
};

test("the program that is loaded is the one that can be read", async () => {
  const source = readFileSync(join(folder, "record-walk.wat"), "utf8");
  const assembler = await wabt();
  const { buffer } = assembler.parseWat("record-walk.wat", source, { simd: true, bulk_memory: true }).toBinary({});
  const code = Buffer.from(buffer).toString("base64");
  // Updated as a snapshot is: `vitest run packages/bough/test/format/record-walk.test.ts -u`.
  await expect(
    `/** \`record-walk.wat\`, assembled. */\nexport const recordWalkCode =\n  "${code}";\n`,
  ).toMatchFileSnapshot(join(folder, "record-walk-code.ts"));
});

test("members are copied in their order, of objects within those that are sought, and strings can be left out", () => {
  const walk = new RecordWalk({ a: "value", exactly_fifteen: "kind", in: { b: "value", deeper: { c: "value" } } });
  const text =
    '{"x":{"a":1},"exactly_fifteen":"long","in":{"c":0,"deeper":{"b":0,"c":[{"a":2}]},"b":"s"},"a":-1.5e3,"aa":0}';
  expect(walked(walk, text)).toBe('{"exactly_fifteen":"","in":{"deeper":{"c":[{"a":2}]},"b":"s"},"a":-1.5e3}');
  expect(walked(walk, '{"in":"text","exactly_fifteen":{"a":1},"a":1,"a":2}')).toBe(
    '{"in":"text","exactly_fifteen":{"a":1},"a":1,"a":2}',
  );
  expect(walked(walk, "{}")).toBe("{}");
});

test("a line is walked over as if it were the first, however long the one before was", () => {
  const walk = new RecordWalk({ a: "value" });
  const long = `{"a":1,"b":"${"x".repeat(300_000)}"}`;
  expect(walked(walk, long)).toBe('{"a":1}');
  expect(walked(walk, '{"a":2')).toBeUndefined();
  expect(walked(walk, '{"b":"')).toBeUndefined();
  expect(walked(walk, '{"a":3}')).toBe('{"a":3}');
  expect(walked(walk, `{"b":"${"x".repeat(4 << 20)}"}`)).toBeUndefined();
});
