import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Paint } from "../../src/chat/inline-marks.ts";
import { MarkdownStream } from "../../src/chat/markdown-stream.ts";
import { PlainStream } from "../../src/chat/plain-stream.ts";

const tagged: Paint = (style, text) => `<${style}>${text}</>`;

function drawn(text: string, paint: Paint = tagged, ...cuts: readonly number[]): string {
  const stream = new MarkdownStream(paint);
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

/** Letter by letter, so that it doesn't matter where a style was put down and taken up again. */
const lettered: Paint = (style, text) => Array.from(text, (letter) => `<${style}${letter}>`).join("");

test("headings, bold words, code, lists, quotes and blocks of code are drawn", () => {
  const text =
    "# A **big** title\n\nSome **bold words** and `code ** here`.\n- one\n> said\n```ts\nconst a = `b`;\n```\nend";
  expect(drawn(text).replaceAll("</><bold>", "").replaceAll("</><cyan>", "").split("\n")).toEqual([
    "<bold>A big title</>",
    "",
    "Some <bold>bold words</> and <cyan>code ** here</>.",
    "• one",
    "<dim>│ </>said",
    "<dim>```ts</>",
    "<cyan>const a = `b`;</>",
    "<dim>```</>",
    "end",
  ]);
});

test("however it is cut, it is drawn the same", () => {
  const words = fc.constantFrom("# ", "**", "`", "- ", "> ", "```", "\n", " ", "word", "x y", "~~~", "*", "``", "/");
  fc.assert(
    fc.property(fc.array(words), fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join("");
      expect(drawn(text, lettered, ...cuts)).toBe(drawn(text, lettered));
    }),
  );
});

test.each([
  "glob src/**/*.ts and it`s 2**3",
  "match **/*.ts or **/*.js",
  "2 ** 3 ** 4, a**b**c",
  "one ` alone, ``two and **no end",
  "** not bold ** and ****",
])("what is no mark is text: %s", (text) => {
  expect(drawn(text)).toBe(text);
});

test("marks stand beside punctuation, and code in bold words", () => {
  expect(drawn("(**a `** b` c.**) **`x`**: **d!**, ``e ` f``")).toBe(
    "(<bold>a </><cyan>** b</><bold> c.</>) <cyan>x</>: <bold>d!</>, <cyan>e ` f</>",
  );
});

test("only what may be a mark is held back, however long a line is, and drawing it takes no longer for that", () => {
  const stream = new MarkdownStream(tagged);
  expect([stream.push("long"), stream.push("er **b"), stream.push("** c"), stream.push(" it`s ")]).toEqual([
    ...["long", "er ", "<bold>b</> c", " it"],
  ]);
  const start = performance.now();
  let shown = "";
  for (let index = 0; index < 200_000; index++) shown += stream.push("abc`");
  expect(shown.length).toBeGreaterThan(500_000);
  expect(performance.now() - start).toBeLessThan(5000);
});

test("whatever arrives in whatever pieces, no control character is shown", () => {
  const bits = fc.constantFrom(
    "\u001b",
    "[31m",
    "]0;title",
    "\u0007",
    "\u009b2J",
    "\u202e",
    "a b",
    "\n",
    "\r",
    "\ud83d",
    "\ude00",
    "\t",
  );
  fc.assert(
    fc.property(fc.array(bits), (pieces) => {
      const stream = new PlainStream();
      const shown = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
      expect(shown).toMatch(/^(?:[\t\n]|(?!\p{Cc})[^\u202e])*$/u);
      expect(stripVTControlCharacters(shown)).toBe(shown);
    }),
  );
  const stream = new PlainStream();
  expect([stream.push("a\u001b[3"), stream.push("1mb\ud83d"), stream.push("\ude00c"), stream.end()].join("")).toBe(
    "ab😀c",
  );
});
