import { describe, expect, test } from "vitest";
import { cutToWidth, fitToWidth, textWidth } from "../src/text-width.ts";

const hostile = "한국어 ✅✅ 👩‍👩‍👧‍👦 é ｆｕｌｌ ﷽ 会话标题 🇩🇪 x";

describe("the width of text", () => {
  test("UI-05 is counted in cells", () => {
    expect(textWidth("abc")).toBe(3);
    expect(textWidth("한국어")).toBe(6);
    expect(textWidth("👩‍👩‍👧‍👦")).toBe(2);
    expect(textWidth("e\u0301")).toBe(1);
    expect(textWidth("✅")).toBe(2);
    expect(textWidth("🇩🇪")).toBe(2);
    expect(textWidth("ｆ")).toBe(2);
  });

  test("UI-05 a cut line fits every width and holds no half cluster", () => {
    const clusters = new Set([...new Intl.Segmenter().segment(hostile)].map(({ segment }) => segment));
    for (let width = 1; width <= 120; width++) {
      const cut = cutToWidth(hostile, width);
      expect(textWidth(cut)).toBeLessThanOrEqual(width);
      for (const { segment } of new Intl.Segmenter().segment(cut)) {
        expect(segment === "…" || clusters.has(segment)).toBe(true);
      }
    }
  });

  test("what fits is not cut, what is cut says so", () => {
    expect(cutToWidth("abc", 3)).toBe("abc");
    expect(cutToWidth("abcd", 3)).toBe("ab…");
    expect(cutToWidth("会话标题", 5)).toBe("会话…");
    expect(cutToWidth("abc", 0)).toBe("");
    expect(fitToWidth("会", 4)).toBe("会  ");
    expect(textWidth(fitToWidth("会话标题", 6))).toBe(6);
  });
});
