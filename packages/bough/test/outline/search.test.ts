import { describe, expect, test } from "vitest";
import { matcherOf, searchableText } from "../../src/outline/index.ts";
import { call, entry, result, user } from "./tree-of.ts";

describe("search", () => {
  test("pi-193 every token must occur, in any order and case, anywhere in the full text", () => {
    const text = searchableText(user("u", null, `${"x ".repeat(5_000)}Deploy the Gateway`));
    expect(matcherOf("gateway  DEPLOY")(text)).toBe(true);
    expect(matcherOf("gateway undo")(text)).toBe(false);
    expect(matcherOf("  ")(text)).toBe(true);
  });

  test("LS-18 composition of accents makes no difference and signs mean themselves", () => {
    const text = searchableText(user("u", null, "cafe\u0301 (a|b)* 会话标题"));
    expect(matcherOf("CAFÉ")(text)).toBe(true);
    expect(matcherOf("(a|b)*")(text)).toBe(true);
    expect(matcherOf("标题")(text)).toBe(true);
  });

  test("arguments, results, summaries, labels and roles are looked at", () => {
    expect(matcherOf("src/deep.ts")(searchableText(call("c", "u", "edit", { edits: [{ file: "src/deep.ts" }] })))).toBe(
      true,
    );
    expect(matcherOf("toolresult ok")(searchableText(result("r", "c", "ok")))).toBe(true);
    expect(
      matcherOf("tried")(searchableText(entry("b", null, { type: "branch_summary", fromId: "f", summary: "Tried x" }))),
    ).toBe(true);
    expect(matcherOf("start user")(searchableText(user("u", null), "Start"))).toBe(true);
    expect(
      matcherOf("42")(searchableText(entry("x", null, { type: "custom", customType: "c", data: { a: [{ b: 42 }] } }))),
    ).toBe(true);
  });

  test("ids and accounts are not", () => {
    const text = searchableText(entry("needle", "needle", { type: "branch_summary", fromId: "needle", summary: "s" }));
    expect(matcherOf("needle")(text)).toBe(false);
  });
});
