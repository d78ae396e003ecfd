import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { frozen } from "../../entry/frozen.ts";
import type { Position } from "../../entry/head.ts";
import { jsonValue } from "../../entry/json-value.ts";
import type { SessionDecoder } from "../../format/session-decoder.ts";
import { damagedEntry } from "../../format/stored-head.ts";
import type { ReadUse } from "../../session/entry-log.ts";
import { EntryCache } from "../files/entry-cache.ts";
import type { LineBytes } from "./line-bytes.ts";
import type { TableLine } from "./line-table.ts";

const cacheSize = 8 << 20;
/** Little, for nobody may ask for what is written, and what is kept makes collecting garbage dear. */
const writtenSize = 64 << 10;

/** The entries in lines whose heads are known, and what reading them shows. */
export class LineBodies {
  readonly #bytes: LineBytes;
  readonly #cache = new EntryCache(cacheSize);
  /** Lines of JSON. */
  readonly #written = new EntryCache<string>(writtenSize);
  /** Lines that have shown something wrong. */
  readonly #suspects = new Set<Position>();
  #findings: Diagnostic[] = [];

  constructor(bytes: LineBytes) {
    this.#bytes = bytes;
  }

  /** Keeps an entry for the next who asks. */
  keep(position: Position, entry: SessionTreeEntry, length: number): void {
    this.#cache.set(position, frozen(entry), length);
  }

  /** Keeps a line of the current form that was just written. */
  keepWritten(position: Position, json: string, length: number): void {
    this.#written.set(position, json, length);
  }

  cached(position: Position): SessionTreeEntry | undefined {
    return this.#cache.get(position) ?? this.#justWritten(position);
  }

  #justWritten(position: Position): SessionTreeEntry | undefined {
    const json = this.#written.get(position);
    if (json === undefined) return undefined;
    const entry = frozen(jsonValue(json) as SessionTreeEntry);
    this.#cache.set(position, entry, json.length);
    return entry;
  }

  /** By position. */
  read(lines: readonly TableLine[], use: ReadUse, decoder: SessionDecoder): Map<Position, SessionTreeEntry> {
    const entries = new Map<Position, SessionTreeEntry>();
    for (const { line, bytes } of this.#bytes.of(lines, use)) {
      const { head, length } = line;
      const entry = head.unread ? this.#behindFront(bytes, line, decoder) : decoder.redecode(bytes, head);
      if (use === "content") this.#cache.set(head.position, entry, length);
      entries.set(head.position, entry);
    }
    return entries;
  }

  /** What was found since the last call, each thing once. */
  takeFindings(): readonly Diagnostic[] {
    const findings = this.#findings;
    this.#findings = [];
    return findings;
  }

  /** Of a line of which only the front was read before. */
  #behindFront(bytes: Uint8Array, { head, length }: TableLine, decoder: SessionDecoder): SessionTreeEntry {
    const start = head.position;
    const end = start + length + 1;
    const { entry, diagnostics } = decoder.decode({ bytes, start, end, terminated: true });
    const isSame = entry?.id === head.id && entry.parentId === head.parentId;
    if ((diagnostics.length > 0 || !isSame) && !this.#suspects.has(start)) {
      const range = { byteStart: start, byteEnd: end, entryId: head.id };
      const stranger: Diagnostic = { code: "damaged_entry", ...range, message: "The body belongs to another entry" };
      this.#findings.push(...diagnostics, ...(isSame ? [] : [stranger]));
      this.#suspects.add(start);
    }
    return isSame ? frozen(entry) : frozen(damagedEntry(head));
  }
}
