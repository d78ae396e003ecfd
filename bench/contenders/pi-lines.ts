import { fstatSync, readSync } from "node:fs";

interface Head {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
}

export type PiEntry = Head & Readonly<Record<string, unknown>>;

export const block = 256 << 10;

/** A line of pi's in some bytes. */
export interface LineBytes {
  readonly bytes: Buffer;
  readonly start: number;
  /** Where its newline is. */
  readonly end: number;
}

/** All lines but the header, which is the first. */
export function* linesOf(fd: number): Generator<LineBytes & { readonly offset: number }> {
  const { size } = fstatSync(fd);
  let bytes = Buffer.allocUnsafeSlow(block);
  let held = 0;
  for (let read = 0; read < size; ) {
    if (held === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafeSlow(bytes.length)]);
    const count = readSync(fd, bytes, held, bytes.length - held, read);
    read += count;
    held += count;
    const whole = bytes.subarray(0, held).lastIndexOf(newline) + 1;
    for (let start = 0; start < whole; ) {
      const end = bytes.indexOf(newline, start);
      const offset = read - held + start;
      if (offset > 0) yield { bytes, start, end, offset };
      start = end + 1;
    }
    bytes.copyWithin(0, whole, held);
    held -= whole;
  }
}

/** From the last to the first. */
export function* linesBefore(fd: number): Generator<LineBytes> {
  let from = fstatSync(fd).size;
  let rest = Buffer.alloc(0);
  while (from > 0) {
    const length = Math.min(from, block);
    from -= length;
    const bytes = Buffer.allocUnsafeSlow(length + rest.length);
    readSync(fd, bytes, 0, length, from);
    rest.copy(bytes, length);
    let end = bytes.length - 1;
    for (;;) {
      const before = bytes.lastIndexOf(newline, end - 1);
      if (before === -1 || before >= end) break;
      yield { bytes, start: before + 1, end };
      end = before;
    }
    rest = bytes.subarray(0, end + 1);
  }
}

const newline = 0x0a;

const usual = /^\{"type":"(\w+)","id":"(\w+)","parentId":(?:null|"(\w+)")/;

/** Of a line that begins as pi writes them; others are parsed. */
export function headOf(line: LineBytes): Head {
  const { bytes, start, end } = line;
  const found = usual.exec(bytes.toString("latin1", start, Math.min(end, start + 120)));
  if (!found) return parsed(line);
  const [, type = "", id = "", parentId = null] = found;
  return { type, id, parentId };
}

export function parsed({ bytes, start, end }: LineBytes): PiEntry {
  return JSON.parse(bytes.toString("utf8", start, end));
}
