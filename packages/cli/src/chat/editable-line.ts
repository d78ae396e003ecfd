import { plainText } from "bough/outline";

const lineBreak = " ⏎ ";
const tabulator = " ⇥ ";

/** A text as one line that can be edited, with marks for what a line can't hold. */
export function editableLine(text: string): string {
  return plainText(text)
    .replaceAll(/[\n\u2028\u2029]/g, lineBreak)
    .replaceAll("\t", tabulator);
}

/** What such a line stands for. */
export function editedText(line: string): string {
  return line.replaceAll(lineBreak, "\n").replaceAll(tabulator, "\t");
}
