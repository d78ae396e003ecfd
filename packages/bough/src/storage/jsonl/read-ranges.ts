import { type FileSystem, readFully } from "../files/file-system.ts";
import { newline } from "./own-line.ts";
import { reusedBytes } from "./reused-bytes.ts";

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

// Reading over a small gap is cheaper than another call.
const maxGap = 16 << 10;
const maxRead = 256 << 10;

/** The bytes of each range, valid until the next, neighbours read together. What a file doesn't have any more is left out at the end. */
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
    const buffer = reusedBytes(last.start + last.length - start);
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

const packSize = 256 << 10;

/** Of whoever packs no more: memory that was touched before takes no time to get. */
let idlePack: Buffer | undefined;

/**
 * The bytes of ranges of whole lines, one behind the other, in pieces that share one buffer. A newline that the last line
 * of the file lacks is added. Throws where a range doesn't end as a line does.
 */
export function* packedRanges(
  fileSystem: FileSystem,
  fd: number,
  ranges: readonly ByteRange[],
): Generator<Uint8Array, void, undefined> {
  const pack = idlePack ?? Buffer.allocUnsafeSlow(packSize);
  idlePack = undefined;
  try {
    yield* packedInto(pack, fileSystem, fd, ranges);
  } finally {
    idlePack = pack;
  }
}

function* packedInto(
  pack: Buffer,
  fileSystem: FileSystem,
  fd: number,
  ranges: readonly ByteRange[],
): Generator<Uint8Array, void, undefined> {
  let filled = 0;
  for (const { start, length } of ranges) {
    for (let at = 0; at < length; ) {
      const room = pack.subarray(filled, filled + Math.min(pack.length - filled, length - at));
      const read = readFully(fileSystem, fd, room, start + at);
      at += room.length;
      filled += room.length;
      if (at === length) endLine(room, read);
      else if (read < room.length) throw cutShort();
      if (filled < pack.length) continue;
      yield pack;
      filled = 0;
    }
  }
  if (filled > 0) yield pack.subarray(0, filled);
}

function endLine(room: Uint8Array, read: number): void {
  if (read === room.length - 1) room[read] = newline;
  if (read < room.length - 1 || room.at(-1) !== newline) throw cutShort();
}

function cutShort(): Error {
  return new Error("a line ends elsewhere than it did");
}
