import { expect, test } from "vitest";
import { parseQuery } from "../../src/catalog/index.ts";

const words = (...each: string[]) => ({ kind: "words", words: each });

test.each([
  ["one Two", { all: [words("one"), words("two")], none: [] }],
  ['"one  Two" three', { all: [words("one", "two"), words("three")], none: [] }],
  ["-one two", { all: [words("two")], none: [words("one")] }],
  ['-"one two"', { all: [], none: [words("one", "two")] }],
  ['"open and -never closed', { all: [words('"open'), words("and"), words("closed")], none: [words("never")] }],
  ["role:User -tool:bash", { all: [{ kind: "role", value: "user" }], none: [{ kind: "tool", value: "bash" }] }],
  [
    'label:"to do" label:',
    {
      all: [
        { kind: "label", value: "to do" },
        { kind: "label", value: "" },
      ],
      none: [],
    },
  ],
  ["in:/W/A", { all: [{ kind: "in", value: "/W/A" }], none: [] }],
  [
    're:A(b|c)+ re:"x y"',
    {
      all: [
        { kind: "pattern", source: "A(b|c)+" },
        { kind: "pattern", source: "x y" },
      ],
      none: [],
    },
  ],
  ["https://x.y role: re:", { all: [words("https://x.y")], none: [] }],
  ["cafe\u0301", { all: [words("café")], none: [] }],
  ["-", { all: [words("-")], none: [] }],
  ["", { all: [], none: [] }],
  [" \t\n", { all: [], none: [] }],
])("%j is read", (text, query) => {
  expect(parseQuery(text)).toEqual(query);
});
