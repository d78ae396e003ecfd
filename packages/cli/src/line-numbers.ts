import { createReadStream } from "node:fs";
import type { Diagnostic } from "bough";

const newline = 0x0a;
const none: ReadonlyMap<number, number> = new Map();

/**
 * What was found in a file, with the number of the line it begins in (the first is 1) where only its byte was told. Reads
 * the file up to the last of them. Where it can't be read any more, what was found is told without.
 */
export async function withLineNumbers(path: string, found: readonly Diagnostic[]): Promise<readonly Diagnostic[]> {
  const places = found.flatMap(({ line, byteStart }) =>
    line === undefined && byteStart !== undefined ? byteStart : [],
  );
  if (places.length === 0) return found;
  const numbers = await lineNumbers(
    path,
    [...new Set(places)].sort((a, b) => a - b),
  ).catch(() => none);
  return found.map((diagnostic) => {
    const line = diagnostic.line ?? numbers.get(diagnostic.byteStart ?? -1);
    return line === undefined ? diagnostic : { ...diagnostic, line };
  });
}

/** `places` in rising order. */
async function lineNumbers(path: string, places: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map<number, number>();
  let line = 1;
  let position = 0;
  let next = 0;
  for await (const chunk of createReadStream(path, { end: places.at(-1) as number, highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    let at = 0;
    for (; next < places.length && (places[next] as number) < position + bytes.length; next++) {
      const place = (places[next] as number) - position;
      line += newlinesIn(bytes.subarray(at, place));
      at = place;
      numbers.set(places[next] as number, line);
    }
    line += newlinesIn(bytes.subarray(at));
    position += bytes.length;
  }
  return numbers;
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
