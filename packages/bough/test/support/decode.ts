import type { Diagnostic } from "../../src/entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { type Line, LineSplitter } from "../../src/format/lines.ts";
import { SessionDecoder } from "../../src/format/session-decoder.ts";

export interface Decoded {
  readonly decoder: SessionDecoder;
  readonly entries: readonly SessionTreeEntry[];
  readonly diagnostics: readonly Diagnostic[];
  /** The line of each entry. */
  readonly lines: readonly Line[];
}

export function linesOf(file: string | Uint8Array): Line[] {
  const splitter = new LineSplitter();
  const lines = [...splitter.push(typeof file === "string" ? new TextEncoder().encode(file) : file)];
  const rest = splitter.end();
  return rest === undefined ? lines : [...lines, rest];
}

export function decodeFile(file: string | Uint8Array): Decoded {
  const decoder = new SessionDecoder();
  const entries: SessionTreeEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  const lines: Line[] = [];
  for (const line of linesOf(file)) {
    const decoded = decoder.decode(line);
    diagnostics.push(...decoded.diagnostics);
    if (decoded.entry === undefined) continue;
    entries.push(decoded.entry);
    lines.push(line);
  }
  return { decoder, entries, diagnostics, lines };
}

/** A session file of these records; strings stand for themselves. */
export function fileOf(...records: readonly (object | string)[]): string {
  return records.map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`).join("");
}
