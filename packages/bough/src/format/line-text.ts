import type { Line } from "./lines.ts";

export interface LineText {
  /** Without a byte order mark at the start of the file and without NULs around it. */
  readonly text: string;
  readonly hasNuls: boolean;
  /** If false, `text` has U+FFFD where the bytes were no UTF-8. */
  readonly isUtf8: boolean;
}

/** In bytes. A longer line is damaged: there may be no string that holds it. */
export const longestLine = 2 ** 29 - 24;
/** Of a damaged line as much as any head takes. */
export const frontOfLongest = 64 << 10;

// A mark inside the file is no whitespace to JSON and must not vanish.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Of a line that is too long only its front. */
export function lineText(line: Pick<Line, "bytes" | "start">): LineText {
  if (line.bytes.length > longestLine) return lineText({ ...line, bytes: line.bytes.subarray(0, frontOfLongest) });
  const marked = line.start === 0 && byteOrderMark.every((byte, index) => line.bytes[index] === byte);
  const from = marked ? byteOrderMark.length : 0;
  const { start, end } = withinNuls(line.bytes, from);
  const hasNuls = start > from || end < line.bytes.length;
  const bytes = hasNuls || marked ? line.bytes.subarray(start, end) : line.bytes;
  try {
    return { text: strict.decode(bytes), hasNuls, isUtf8: true };
  } catch {
    return { text: lenient.decode(bytes), hasNuls, isUtf8: false };
  }
}

/** Where a file system extended a file before it wrote, NULs stand after a record, and before the one added next. */
function withinNuls(bytes: Uint8Array, from: number): { readonly start: number; readonly end: number } {
  let start = from;
  let end = bytes.length;
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return { start, end };
}
