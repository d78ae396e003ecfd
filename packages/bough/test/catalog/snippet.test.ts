import { expect, test } from "vitest";
import { finderOf } from "../../src/catalog/matching.ts";
import { snippetOf } from "../../src/catalog/snippet.ts";

const find = (...words: string[]) => finderOf(words);
const markedIn = (...args: Parameters<typeof snippetOf>) => {
  const { text, marks } = snippetOf(...args);
  return marks.map(({ start, end }) => text.slice(start, end));
};

test("a short text is shown whole, in one line, without what stands in front of it", () => {
  const text = "message\nuser\nFirst line\n\tsecond  line";
  expect(snippetOf({ text, lead: "message\nuser\n" }, [find("second")])).toEqual({
    text: "First line second line",
    marks: [{ start: 11, end: 17 }],
  });
});

test("what was asked for stands in the stretch that is shown of a long one", () => {
  const text = `${"before ".repeat(1000)}the Needle here${" after".repeat(1000)}`;
  const snippet = snippetOf({ text }, [find("needle")]);
  expect(snippet.text.length).toBeLessThan(200);
  expect(snippet.text).toMatch(/^…before .*the Needle here.* after.*…$/);
  expect(markedIn({ text }, [find("needle"), find("needle", "here")])).toEqual(["Needle here"]);
});

test("accents, and letters that lower case makes longer, are marked where they are", () => {
  expect(markedIn({ text: "un cafe\u0301 noir" }, [find("café")])).toEqual(["café"]);
  expect(markedIn({ text: "İSTANBUL and İzmir" }, [find("and")])).toEqual(["and"]);
  expect(markedIn({ text: "全文検索と会話" }, [find("検索")])).toEqual(["検索"]);
});

test("what a terminal would obey is not in it, nor half a character", () => {
  const text = `${"🔥".repeat(200)} needle \u001b[31m\u202e${"🔥".repeat(200)}`;
  const { text: shown } = snippetOf({ text }, [find("needle")]);
  for (const each of ["\ufffd", "\u001b", "\u202e"]) expect(shown).not.toContain(each);
});

test("where a pattern found it, a pattern's place is marked", () => {
  expect(markedIn({ text: "one\ntwo three" }, [], { start: 2, end: 7 })).toEqual(["e two"]);
});
