/** How much of a tool's output a model is given; what goes beyond is left out, and said to be. */
export const outputLimit = { lines: 2000, characters: 50_000 } as const;

export interface Shortened {
  readonly text: string;
  readonly leftOut: number;
}

/** The first lines that fit; a line that alone is too long is cut. */
export function firstLines(lines: readonly string[]): Shortened {
  const kept = fitting(lines, (line, limit) => `${line.slice(0, limit).toWellFormed()} [line cut]`);
  return { text: kept.join("\n"), leftOut: lines.length - kept.length };
}

/** The last lines that fit; of a line that alone is too long the end. */
export function lastLines(lines: readonly string[]): Shortened {
  const kept = fitting(
    lines.toReversed(),
    (line, limit) => `[line cut] ${line.slice(-limit).toWellFormed()}`,
  ).toReversed();
  return { text: kept.join("\n"), leftOut: lines.length - kept.length };
}

function fitting(lines: readonly string[], cut: (line: string, limit: number) => string): readonly string[] {
  const kept: string[] = [];
  let room: number = outputLimit.characters;
  for (const line of lines.slice(0, outputLimit.lines)) {
    room -= line.length + 1;
    if (room < 0 && kept.length > 0) break;
    kept.push(room < 0 ? cut(line, outputLimit.characters) : line);
  }
  return kept;
}
