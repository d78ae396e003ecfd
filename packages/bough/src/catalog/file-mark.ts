/** How far a file was read: the end of the last record that was taken in. */
export interface ReadSoFar {
  readonly offset: number;
  /** The last bytes before `offset`, one character each. */
  readonly guard: string;
  /** False where a whole record stands at the end that nothing has ended yet. */
  readonly endsInNewline: boolean;
}

export interface FileMark extends ReadSoFar {
  readonly dev: number;
  readonly ino: number;
  /** The lines up to the header, the last of them. */
  readonly head: readonly string[];
}

/** What a change in front of the mark would hardly leave as it was. */
export const guardLength = 64;

export function encodedMark({ dev, ino, head, offset, guard, endsInNewline }: FileMark): string {
  return JSON.stringify([dev, ino, offset, guard, endsInNewline, head]);
}

/** Undefined for what is no mark. */
export function decodedMark(mark: string | undefined): FileMark | undefined {
  try {
    const [dev, ino, offset, guard, endsInNewline, head] = JSON.parse(mark ?? "");
    return { dev, ino, offset, guard, endsInNewline, head };
  } catch {
    return undefined;
  }
}
