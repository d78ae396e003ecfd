import { type FileSystem, readFully } from "../files/file-system.ts";

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

// Reading over a small gap is cheaper than another call.
const maxGap = 16 << 10;
const maxRead = 1 << 20;

/** The bytes of each range, neighbours read together. What a file doesn't have any more is left out at the end. */
export function* readRanges<R extends ByteRange>(
  fileSystem: FileSystem,
  fd: number,
  ranges: readonly R[],
): Generator<{ readonly range: R; readonly bytes: Uint8Array }> {
  const ordered = ranges.toSorted((a, b) => a.start - b.start);
  for (let from = 0; from < ordered.length; ) {
    const { start } = ordered[from] as R;
    const to = endOfGroup(ordered, from);
    const last = ordered[to - 1] as R;
    const buffer = Buffer.allocUnsafe(last.start + last.length - start);
    const read = buffer.subarray(0, readFully(fileSystem, fd, buffer, start));
    for (const range of ordered.slice(from, to)) {
      yield { range, bytes: read.subarray(range.start - start, range.start - start + range.length) };
    }
    from = to;
  }
}

function endOfGroup(ordered: readonly ByteRange[], from: number): number {
  const first = ordered[from] as ByteRange;
  let end = first.start + first.length;
  let to = from + 1;
  for (; to < ordered.length; to++) {
    const next = ordered[to] as ByteRange;
    if (next.start - end > maxGap || next.start + next.length - first.start > maxRead) break;
    end = next.start + next.length;
  }
  return to;
}
