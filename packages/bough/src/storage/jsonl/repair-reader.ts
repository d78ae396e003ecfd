import type { SessionTreeEntry } from "../../entry/entry.ts";
import { lineText } from "../../format/line-text.ts";
import type { Line } from "../../format/lines.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { salvage } from "./salvage.ts";

/** What a line of a damaged session holds, once it is taken apart. */
export interface ReadLine {
  readonly number: number;
  readonly parts: readonly LinePart[];
  /** `unclean`: with NULs, or bytes that are no UTF-8; `torn`: not one whole record. */
  readonly state: "sound" | "unclean" | "torn";
}

/** A header or a title is `other`. */
export type LinePart = EntryPart | { readonly kind: "other"; readonly text: string };

export interface EntryPart {
  readonly kind: "entry";
  readonly entry: SessionTreeEntry;
  readonly text: string;
  /** Counts all that are found, from 0. */
  readonly ordinal: number;
}

/** Reads the lines in order. Every reading of a file finds the same entries. Throws `invalid_session`. */
export class RepairReader {
  readonly #decoder: SessionDecoder;
  #number = 0;
  #ordinal = 0;

  constructor(path: string) {
    this.#decoder = new SessionDecoder({ path });
  }

  read(line: Line): ReadLine {
    const number = ++this.#number;
    const { text, hasNuls, isUtf8 } = lineText(line);
    const state = hasNuls || !isUtf8 ? "unclean" : "sound";
    if (text.trim() === "") return { number, parts: [], state };
    if (!this.#decoder.header) return this.#readFirst(line, number, text, state);
    const { records, isWhole } = salvage(text, number, line.terminated);
    const parts = records.flatMap((record) => this.#partOf(record, line));
    return { number, parts, state: isWhole && parts.length === 1 ? state : "torn" };
  }

  /** Whatever stands before the header and is no title is not part of the session. */
  #readFirst(line: Line, number: number, text: string, state: ReadLine["state"]): ReadLine {
    const { diagnostics } = this.#decoder.decode(line);
    const isHeaderOrTitle = diagnostics.every(({ code }) => code === "nul_tail" || code === "invalid_utf8");
    return isHeaderOrTitle ? { number, parts: [{ kind: "other", text }], state } : { number, parts: [], state: "torn" };
  }

  #partOf(text: string, { start, end }: Line): LinePart[] {
    const { entry } = this.#decoder.decode({ bytes: Buffer.from(text), start, end, terminated: true });
    return entry ? [{ kind: "entry", entry, text, ordinal: this.#ordinal++ }] : [];
  }
}
