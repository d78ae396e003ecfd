import type { SearchHit } from "bough/catalog";
import type { Output } from "./output.ts";
import { idColumn } from "./shown-name.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

/** A hit in one line: session and entry by their short ids, as `bough tree SESSION --at ENTRY` takes them, and what it says. */
export function drawHit({ sessionId, entryId, snippet, marks }: SearchHit, output: Output): string {
  const start = `${idColumn(sessionId)}  ${idColumn(entryId)}  `;
  let room = output.width - textWidth(start);
  let at = beginning(snippet, marks[0], room);
  let line = output.paint("dim", start);
  if (at > 0) {
    line += "…";
    room -= 1;
  }
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

/** Where to begin so that the first of what was asked for is seen: at a word not far before it. */
function beginning(snippet: string, first: SearchHit["marks"][number] | undefined, room: number): number {
  if (!first || textWidth(snippet.slice(0, first.end)) < room) return 0;
  const blank = snippet.indexOf(" ", Math.max(0, first.start - Math.floor(room / 3)));
  return blank === -1 || blank >= first.start ? first.start : blank + 1;
}
