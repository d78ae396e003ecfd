// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these patterns look for.
/**
 * Whole sequences: CSI, the string kinds (OSC, DCS, SOS, PM, APC, at most to the end of the line where nothing ends
 * them), then any other escape. The bytes between would stay visible if only ESC were taken out.
 */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const suspicious = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/;
const lineBreaks = /\r\n?/g;
const controls = /(?![\t\n])\p{Cc}/gu;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Other than one blank. */
const blanks = / \s+|[^\S ]\s*/g;

/** Stored text as it may be shown anywhere: no control sequence, control or direction character; lines and tabs stay. */
export function plainText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .toWellFormed()
    .replace(sequences, "")
    .replace(lineBreaks, "\n")
    .replace(controls, "")
    .replace(bidiControls, "");
}

/** The same as one line of at most `limit` code points; what was cut ends in `…`. */
export function plainLine(text: string, limit = 200): string {
  const enough = limit * 4;
  if (text.length > enough) {
    const start = lineOf(text.slice(0, enough));
    if (start.length > limit * 2) return cut(start, limit);
  }
  return cut(lineOf(text), limit);
}

function lineOf(text: string): string {
  return plainText(text).replace(blanks, " ").trim();
}

const surrogate = /[\ud800-\udfff]/;

/** At most `limit` code points of a text; one that was cut ends in `…`. */
export function cut(line: string, limit: number): string {
  if (line.length <= limit) return line;
  if (!surrogate.test(line.slice(0, limit))) return `${line.slice(0, limit - 1)}…`;
  const points = Array.from(line.slice(0, limit * 2 + 2));
  return points.length <= limit ? line : `${points.slice(0, limit - 1).join("")}…`;
}
