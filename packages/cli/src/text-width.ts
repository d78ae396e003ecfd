import { eastAsianWidth } from "get-east-asian-width";

const ascii = /^[\u0020-\u007e]*$/;
const emoji = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}/u;
const withoutWidth = /^[\p{M}\p{Cf}\p{Cc}]$/u;

let segmenter: Intl.Segmenter | undefined;

/** Cells that a terminal gives to a line of plain text. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** The start of a line that fits into `width` cells, with `…` for what was cut; never half a cluster. */
export function cutToWidth(text: string, width: number): string {
  if (text.length * 2 <= width || (text.length <= width && ascii.test(text))) return text;
  if (width <= 0) return "";
  let used = 0;
  let end = 0;
  let room = 0;
  for (const cluster of clusters(text)) {
    used += clusterWidth(cluster);
    if (used > width) return `${text.slice(0, room)}…`;
    end += cluster.length;
    if (used < width) room = end;
  }
  return text;
}

/** Fills a line up with blanks, or cuts it, to exactly `width` cells. */
export function fitToWidth(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + " ".repeat(Math.max(0, width - textWidth(cut)));
}

function* clusters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** A cluster is as wide as its widest character: the others are drawn onto it. */
function clusterWidth(cluster: string): number {
  if (emoji.test(cluster)) return 2;
  let widest = 0;
  for (const character of cluster) {
    if (withoutWidth.test(character)) continue;
    widest = Math.max(widest, eastAsianWidth(character.codePointAt(0) as number));
  }
  return widest;
}
