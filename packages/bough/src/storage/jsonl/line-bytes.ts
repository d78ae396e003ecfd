import type { Position } from "../../entry/head.ts";
import { frontOfLongest, longestLine } from "../../format/line-text.ts";
import type { ReadUse } from "../../session/entry-log.ts";
import { type FileSystem, readFully } from "../files/file-system.ts";
import type { TableLine } from "./line-table.ts";
import { type ByteRange, readRanges } from "./read-ranges.ts";
import { type ShortenedSizes, shortenedLine } from "./shortened-line.ts";

const pieceSize = 1 << 20;
/** Of lines whose shape is asked for. */
export const longestHeld = 1 << 20;

/** The bytes of lines of one file. */
export class LineBytes {
  readonly #fileSystem: FileSystem;
  readonly #fd: number;

  constructor(fileSystem: FileSystem, fd: number) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
  }

  /** What the file has there. */
  at(position: Position, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readFully(this.#fileSystem, this.#fd, bytes, position));
  }

  /** As much of lines as is needed to decode them, in any order; each is valid until the next. */
  *of(lines: readonly TableLine[], use: ReadUse): Generator<{ readonly line: TableLine; readonly bytes: Uint8Array }> {
    const longest = use === "shape" ? longestHeld : longestLine;
    const whole: (ByteRange & { readonly line: TableLine })[] = [];
    for (const line of lines) {
      if (line.length <= longest) whole.push({ start: line.head.position, length: line.length, line });
      else yield { line, bytes: this.shape(line.head.position, line.length) };
    }
    for (const { range, bytes } of readRanges(this.#fileSystem, this.#fd, whole)) yield { line: range.line, bytes };
  }

  /** A line without holding it, as `shortenedLine` makes it. */
  shape(position: Position, length: number, sizes?: ShortenedSizes): Uint8Array {
    if (length > longestLine) return this.at(position, frontOfLongest);
    return shortenedLine(this.#pieces(position, length), sizes);
  }

  /** Each is valid until the next. */
  *#pieces(position: Position, length: number): Generator<Uint8Array> {
    const piece = Buffer.allocUnsafe(pieceSize);
    for (let at = 0; at < length; at += piece.length) {
      const wanted = piece.subarray(0, Math.min(piece.length, length - at));
      yield wanted.subarray(0, readFully(this.#fileSystem, this.#fd, wanted, position + at));
    }
  }
}
