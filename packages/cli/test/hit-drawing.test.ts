import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import type { SearchHit } from "bough/catalog";
import { expect, test } from "vitest";
import { drawHit } from "../src/hit-drawing.ts";
import { Output } from "../src/output.ts";
import { textWidth } from "../src/text-width.ts";

function drawn(columns: number, snippet: string): string {
  const output = new Output(Object.assign(new PassThrough(), { isTTY: true, columns }) as unknown as WriteStream);
  const start = snippet.indexOf("needle");
  const marks = start === -1 ? [] : [{ start, end: start + "needle".length }];
  const hit: SearchHit = {
    sessionId: "12345678",
    entryId: "abcdefgh",
    source: "bough",
    rank: 1,
    branches: [],
    snippet,
    marks,
  };
  return stripVTControlCharacters(drawHit(hit, output));
}

test("what was asked for is seen on every terminal that has room for it", () => {
  for (const before of ["", "some words ".repeat(5), "x".repeat(60), "会话 ".repeat(20), "👩‍👩‍👧‍👦".repeat(10)]) {
    for (let columns = 30; columns <= 120; columns++) {
      const line = drawn(columns, `${before}needle and more of that`);
      expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(line).toContain("needle");
    }
  }
});

test("a hit is shown from its beginning where that leaves what was asked for in sight", () => {
  expect(drawn(80, "where is the needle?")).toBe("12345678  abcdefgh  where is the needle?");
  expect(drawn(40, "far in front of it stands a needle")).toBe("12345678  abcdefgh  …a needle");
  expect(drawn(30, "nothing is marked")).toBe("12345678  abcdefgh  nothing i…");
});
