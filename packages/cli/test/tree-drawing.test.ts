import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import type { OutlineRow } from "bough/outline";
import { describe, expect, test } from "vitest";
import { Output } from "../src/output.ts";
import { textWidth } from "../src/text-width.ts";
import { drawRow } from "../src/tree-drawing.ts";

function terminal(columns: number): Output {
  return new Output(Object.assign(new PassThrough(), { isTTY: true, columns }) as unknown as WriteStream);
}

function row(depth: number, rest: Partial<OutlineRow> = {}): OutlineRow {
  const guides = Array.from({ length: Math.min(48, Math.max(0, depth - 1)) }, () => "line" as const);
  const connector = depth === 0 ? "none" : "tee";
  const place = { parentId: null, position: 0, onActivePath: false };
  return { id: "0123456789abcdef", depth, guides, connector, type: "message", role: "user", ...place, ...rest };
}

function drawn(columns: number, depth: number, text: string, label?: string): string {
  const content = { text, isLeaf: false };
  return stripVTControlCharacters(
    drawRow(row(depth, label === undefined ? {} : { label }), content, terminal(columns)),
  );
}

describe("a drawn row", () => {
  test("UI-01 shows at least 20 cells of text at any depth, and is no wider than the terminal", () => {
    for (const columns of [40, 59, 60, 120]) {
      for (const depth of [0, 1, 5, 40, 80, 500]) {
        const line = drawn(columns, depth, "#".repeat(300), depth % 2 === 0 ? "a label of some length" : undefined);
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(line.split("#").length - 1).toBeGreaterThanOrEqual(19);
      }
    }
  });

  test("UI-05 with wide characters fits every width", () => {
    for (let columns = 1; columns <= 120; columns++) {
      expect(textWidth(drawn(columns, 3, "한국어 ✅✅ 👩‍👩‍👧‍👦 é ｆｕｌｌ ﷽", "会话标题"))).toBeLessThanOrEqual(
        columns,
      );
    }
  });

  test("a wide id takes its room from the text", () => {
    const content = { text: "#".repeat(300), isLeaf: false };
    for (let columns = 40; columns <= 120; columns++) {
      const line = drawRow({ ...row(3), id: "会话标题会话标题会话" }, content, terminal(columns));
      expect(textWidth(stripVTControlCharacters(line))).toBe(columns);
    }
  });

  test("a terminal that doesn't say how wide it is has 80 cells", () => {
    expect(drawn(0, 0, "hello")).toBe(drawn(80, 0, "hello"));
  });

  test("ids are left out where there is no room for them", () => {
    expect(drawn(80, 0, "hello")).toBe("89abcdef  ○ user: hello");
    expect(drawn(40, 0, "hello")).toBe("○ > hello");
  });

  test("levels that don't fit are told by an ellipsis", () => {
    expect(drawn(40, 80, "hello")).toMatch(/^… {2}(│ {2}){3}├─ ○ > hello$/);
  });
});
