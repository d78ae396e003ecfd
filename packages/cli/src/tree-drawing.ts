import { type OutlineRow, plainLine } from "bough/outline";
import type { Output, Style } from "./output.ts";
import { idColumn } from "./shown-name.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

/** However deep a row stands and whatever its label, so much of a line is for its text. */
const textCells = 20;
const labelCells = 8;
const levelCells = 3;
/** Narrower terminals have no room for ids and whole words. */
const roomyFrom = 60;

export interface RowContent {
  readonly text: string;
  /** Whether the conversation stands there. */
  readonly isLeaf: boolean;
  /** Whether it was asked for by name. */
  readonly isNamed?: boolean;
}

/** One line of the tree: short id, guides, what is on the path, label and text; never wider than the terminal. */
export function drawRow(row: OutlineRow, { text, isLeaf, isNamed = false }: RowContent, output: Output): string {
  const isRoomy = output.width >= roomyFrom;
  const speaker = speakers.get(row.role ?? "") ?? nobody;
  const id = isRoomy ? `${idColumn(row.id)}  ` : "";
  const bullet = isLeaf ? "◉ " : isNamed ? "◆ " : row.onActivePath ? "● " : "○ ";
  const name = isRoomy ? speaker.name : speaker.sign;
  const label = row.label === undefined ? "" : `[${plainLine(row.label)}] `;

  const idCells = textWidth(id);
  const reserved = bullet.length + name.length + textCells;
  const guides = guidesOf(row, output.width - idCells - reserved - Math.min(labelCells, label.length * 2));
  const shownLabel = cutToWidth(label, Math.max(0, output.width - idCells - guides.length - reserved));
  return fitted(
    [
      ["dim", id + guides],
      [row.onActivePath ? "green" : "dim", bullet],
      [["bold", "yellow"], shownLabel],
      [speaker.style, name + text],
    ],
    output,
  );
}

function fitted(parts: readonly (readonly [Style, string])[], output: Output): string {
  let room = output.width;
  let line = "";
  for (const [style, text] of parts) {
    const shown = cutToWidth(text, room);
    if (Number.isFinite(room)) room -= textWidth(shown);
    if (shown !== "") line += output.paint(style, shown);
  }
  return line;
}

interface Speaker {
  readonly name: string;
  readonly sign: string;
  readonly style: Style;
}

const speakers: ReadonlyMap<string, Speaker> = new Map([
  ["user", { name: "user: ", sign: "> ", style: ["bold", "cyan"] }],
  ["assistant", { name: "assistant: ", sign: "", style: "reset" }],
]);
const nobody: Speaker = { name: "", sign: "", style: "dim" };

const guideMarks = { line: "│  ", blank: "   " };
const connectorMarks = { none: "", tee: "├─ ", corner: "└─ " };

/** The innermost levels that fit, `…` for the others. */
function guidesOf({ depth, guides, connector }: OutlineRow, room: number): string {
  const marks = [...guides.map((guide) => guideMarks[guide]), connectorMarks[connector]].filter((mark) => mark !== "");
  const levels = Math.max(1, Math.floor(room / levelCells));
  if (depth <= marks.length && marks.length <= levels) return marks.join("");
  return `…  ${levels > 1 ? marks.slice(1 - levels).join("") : ""}`;
}
