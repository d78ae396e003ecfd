export interface HangingOptions {
  /** Blanks in front of all lines but the first, which stands behind something already. */
  readonly indent: number;
  readonly lineLength: number;
}

/** Broken between words into lines that stand below each other. */
export function hanging(text: string, { indent, lineLength }: HangingOptions): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line === "") lines[lines.length - 1] = word;
    else if (indent + line.length + 1 + word.length <= lineLength) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
