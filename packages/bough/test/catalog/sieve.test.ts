import fc from "fast-check";
import { expect, test } from "vitest";
import { Haystack } from "../../src/catalog/haystack.ts";
import { parseQuery } from "../../src/catalog/query.ts";
import { type Sieve, sieveOf } from "../../src/catalog/sieve.ts";
import { folded } from "../../src/outline/search.ts";

function passing(sieve: Sieve, lines: readonly string[], terminated = true): string[] {
  const bytes = Buffer.from(lines.join("\n") + (terminated ? "\n" : ""));
  const haystack = new Haystack();
  while (haystack.bytes.length < bytes.length) haystack.grow();
  bytes.copy(haystack.bytes);
  return Array.from(sieve.linesIn(haystack, 0, bytes.length, 7), (line) => {
    expect(Buffer.from(line.bytes)).toEqual(bytes.subarray(line.start - 7, line.end - 7 - (line.terminated ? 1 : 0)));
    return Buffer.from(line.bytes).toString();
  });
}

const sieve = (query: string) => sieveOf(parseQuery(query)) as Sieve;

test("passes lines that may hold the words, in either case", () => {
  const lines = ["nothing", "An ERROR here", "terror", "errors and error", "er ror", ""];
  expect(passing(sieve("error"), lines)).toEqual(["An ERROR here", "terror", "errors and error"]);
  expect(passing(sieve('"an error here"'), lines, false)).toEqual(["An ERROR here"]);
});

test("an escape, a quote, more white space or anything beyond ASCII may stand for what is wanted", () => {
  const lines = [
    "an\\nerror",
    "an \\u0020error",
    "an  error",
    '"an","error',
    "an\u3000error",
    "an\\terror \\there",
    "a error",
  ];
  expect(passing(sieve('"an error"'), lines)).toEqual(lines.slice(0, -1));
  expect(passing(sieve('"error here"'), ["error\\nhere", "error\\n  here", "error there", "error hers"])).toEqual([
    "error\\nhere",
    "error\\n  here",
  ]);
});

test("white space of any length, and what a line says elsewhere, is compared as well", () => {
  const message = (said: object) =>
    JSON.stringify({
      type: "message",
      id: "e1",
      parentId: null,
      timestamp: "t",
      message: { role: "user", model: "x", ...said },
    });
  const text = (content: string) => message({ content });
  const fitting = [text("the model\n  \t literal"), message({ toolName: "a Model ", content: "literal" })];
  const others = [text("a token\n\n  literal"), text("a token // literal"), text("literal"), text("model. literal")];
  expect(passing(sieve('"model literal"'), [...others, ...fitting, "{}"])).toEqual(fitting);
  const labelled = '{"type":"message","id":"e1","parentId":null,"timestamp":"t","message":{"role":"literal"}}';
  expect(passing(sieve('"model literal"'), [labelled])).toEqual([labelled]);
  expect(passing(sieve('"ab literal"'), ["ab\\u202f literal", "ab\\u200b literal"])).toHaveLength(2);
});

test.each(["", "12 34", "数据库", "ki", "kik", "-error", "role:user", "age", "re:error"])(
  "there is none for %s",
  (query) => {
    expect(sieveOf(parseQuery(query))).toBeUndefined();
  },
);

test("no line is lost whose text holds what is asked for", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "error",
      "Kelvin",
      "\u212Aelvin",
      "TAX\u0130",
      "taxi",
      "caf\u00e9",
      "cafe\u0301",
      "a",
      "b/c",
      "x1",
      "ſhort",
    ),
    fc.constantFrom(" ", " ", " ", "  ", "\n", "\t", "\u3000", '"', "\\", "\u001b"),
    fc.string({ unit: fc.constantFrom("e", "r", "o", "R", " ", "t"), maxLength: 6 }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
  const escapes = fc.constantFrom(
    (json: string) => json,
    (json: string) => json.replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    (json: string) => json.replaceAll("/", "\\/"),
  );
  fc.assert(
    fc.property(text, escapes, fc.nat(), fc.nat(), (text, escaped, from, length) => {
      const start = from % text.length;
      const asked = folded(text.slice(start, start + 1 + (length % 20))).replaceAll('"', " ");
      const query = parseQuery(`"${asked}"`);
      const found = sieveOf(query);
      const words = asked.split(/\s+/).filter((word) => word !== "");
      const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
      if (!found || !new RegExp(pattern, "u").test(folded(text))) return;
      const line = `{"content":${escaped(JSON.stringify(text))}}`;
      expect(passing(found, ["{}", line, "{}"])).toEqual([line]);
    }),
    { numRuns: 3000 },
  );
});
