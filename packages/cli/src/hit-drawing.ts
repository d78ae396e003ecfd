import type { SearchHit } from "bough/catalog";
import type { Output } from "./output.ts";
import { cutToWidth, textWidth } from "./text-width.ts";
import { shortId } from "./tree-drawing.ts";

/** A hit in one line: session and entry by their short ids, as `bough tree SESSION --at ENTRY` takes them, and what it says. */
export function drawHit({ sessionId, entryId, snippet, marks }: SearchHit, output: Output): string {
  const start = `${shortId(sessionId)}  ${shortId(entryId).padEnd(8)}  `;
  let room = output.width - start.length;
  let line = output.paint("dim", start);
  let at = 0;
  const add = (style: "reset" | readonly ["bold", "yellow"], end: number) => {
    const shown = cutToWidth(snippet.slice(at, end), Math.max(0, room));
    room -= textWidth(shown);
    if (shown !== "") line += style === "reset" ? shown : output.paint([...style], shown);
    at = end;
  };
  for (const { start: from, end } of marks) {
    add("reset", from);
    add(["bold", "yellow"], end);
  }
  add("reset", snippet.length);
  return line;
}
