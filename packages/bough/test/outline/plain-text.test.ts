import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainLine, plainText } from "../../src/outline/index.ts";

const esc = "\u001b";

describe("plain text", () => {
  test("EX-13 whole sequences go first, then control characters, and one line is left", () => {
    expect(plainLine(`${esc}[1;32mBuild${esc}[0m ok ${esc}]2;taken over\u0007 line1\nline2`)).toBe(
      "Build ok line1 line2",
    );
  });

  test("EX-13 strings of every kind and eight-bit introducers leave nothing behind", () => {
    expect(plainLine(`a${esc}P1$rx${esc}\\b${esc}_apc${esc}\\c\u009d0;title\u009cd\u009b31me`)).toBe("abcde");
    expect(plainLine(`a${esc}]52;c;AAAA`)).toBe("a");
    expect(plainLine(`a${esc}(Bb${esc}7c${esc}`)).toBe("abc");
  });

  test("direction controls and lone surrogates are no part of it", () => {
    expect(plainLine("a\u202egpj\u2066\u200f\ud800b")).toBe("agpj\ufffdb");
  });

  test("lines and tabs stay in a text and become blanks in a line", () => {
    expect(plainText("a\r\nb\tc\rd\u0000")).toBe("a\nb\tc\nd");
    expect(plainLine("  a\r\n\u2028b\tc ")).toBe("a b c");
  });

  test("a line is cut by code points", () => {
    expect(Array.from(plainLine("😀".repeat(300)))).toHaveLength(200);
    expect(plainLine("😀".repeat(200))).toBe("😀".repeat(200));
    expect(plainLine("abcdef", 4)).toBe("abc…");
  });

  test("text after a long sequence is found", () => {
    expect(plainLine(`${esc}]52;c;${"A".repeat(50_000)}\u0007here`)).toBe("here");
  });

  test("no text gets control characters through, and cleaning twice changes nothing", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom(esc, "[", "]", "3", "m", ";", "\u0007", "\\", "P", "\n", "\u009b", "a", "\u202e"))
          .map((parts) => parts.join("")),
        (text) => {
          const line = plainLine(text);
          expect(line).toMatch(/^[^\p{Cc}\u202e]*$/u);
          expect(plainText(plainText(text))).toBe(plainText(text));
        },
      ),
    );
  });
});
