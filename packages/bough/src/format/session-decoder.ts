import type { Diagnostic, DiagnosticCode } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import { frozen } from "../entry/frozen.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { isJsonObject, type JsonObject } from "../entry/json.ts";
import { jsonValue } from "../entry/json-value.ts";
import { scanHead } from "./head-scan.ts";
import { fromJulia } from "./julia.ts";
import { type LineText, lineText } from "./line-text.ts";
import type { Line } from "./lines.ts";
import { isTitleLine, withTitle } from "./oh-my-pi.ts";
import { hasUsableBody } from "./stored-body.ts";
import { damagedEntry, type PlacedRecord, placed } from "./stored-head.ts";
import { noHeader, readHeader, type SessionAccess, type StoredHeader, unsupported } from "./stored-header.ts";
import type { RecordPlace } from "./upgrade.ts";
import { mintedId } from "./upgrade-v1.ts";

/** A header may be spoilt and stand there once more; what goes on like this is no session. */
const mostInFront = 100;

/** What JSON takes for white space, which is less than `trim` does. */
const notBlank = /[^ \t\r\n]/;

const nothing: DecodedLine = { diagnostics: [] };

export interface DecodedLine {
  /** In the current form, whatever the session's version; not frozen. */
  readonly entry?: SessionTreeEntry;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a line to be read again stands in the session. */
export interface EntryPlace {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * Reads a session line by line, in file order, from the first. Older versions and other dialects come out in the current
 * form; a line that can't be understood costs itself and is reported. Only a first record that is no usable header, or
 * more than a hundred lines in front of it that can be none, throws: `invalid_session`, `unsupported_version`. A session
 * whose lines have all gone by and that has no `header` is none.
 *
 * An unterminated line may be given again once more of it is there, from its start.
 */
export class SessionDecoder {
  readonly #source: { readonly path?: string };
  #stored: StoredHeader | undefined;
  #titleLine: JsonObject | undefined;
  #last: Pick<Line, "start" | "end" | "terminated"> | undefined;
  #lineNumber: number | undefined = 0;
  /** That could be no header. */
  #linesInFront = 0;
  #previousId: string | null = null;
  /** Of version 1, whose compactions count records: the id of each, undefined for headers. */
  readonly #recordIds: (string | undefined)[] = [];
  #isReadable = false;

  constructor(source: { readonly path?: string } = {}) {
    this.#source = source;
  }

  /** Upgraded to the current version; undefined until its line was decoded. */
  get header(): SessionHeader | undefined {
    return this.#stored?.header;
  }

  /** As stored; 1 where the header names none. */
  get version(): number {
    return this.#stored?.version ?? CURRENT_SESSION_VERSION;
  }

  get access(): SessionAccess {
    return this.#stored?.access ?? "append";
  }

  /** Whether other sessions of the current version can take over lines as they are. */
  get isCurrent(): boolean {
    return this.#stored?.access === "append" && this.version === CURRENT_SESSION_VERSION;
  }

  /** Of the line that went by last, the header's being 1; unknown once lines were left out. */
  get lineNumber(): number | undefined {
    return this.#lineNumber;
  }

  decode(line: Line): DecodedLine {
    this.#count(line);
    const text = lineText(line);
    if (!text.hasNuls) return notBlank.test(text.text) ? this.#decodeText(text, line) : nothing;
    const nuls = this.#diagnostic("nul_tail", line, "NUL bytes around a record");
    if (!notBlank.test(text.text)) return { diagnostics: [nuls] };
    const decoded = this.#decodeText(text, line);
    return { ...decoded, diagnostics: [nuls, ...decoded.diagnostics] };
  }

  /** From now on lines come as they like, each whole. Only a session that can be appended to can be read so. */
  leaveOrder(): void {
    this.#lineNumber = undefined;
  }

  /** Counts a line of the current version that needs no decoding: the caller wrote it, or has decoded it before. */
  skip(line: Pick<Line, "start" | "end" | "terminated">): void {
    this.#count(line);
  }

  /**
   * The entry of a line decoded before, read again on its own and frozen. It is `damaged` if the line does not hold the
   * entry of `place` any more.
   */
  redecode(bytes: Uint8Array, place: EntryPlace): SessionTreeEntry {
    const { text } = lineText({ bytes, start: -1 });
    const record = parsed(text);
    const upgraded = isJsonObject(record) ? placed(this.#again(record, place)) : undefined;
    if (upgraded?.id === place.id) return frozen(entryOf(upgraded));
    const { type, timestamp } = this.#scanned(text);
    const { id, parentId } = place;
    const shown = { type: textOr(type, "unknown"), timestamp: textOr(timestamp, "") };
    return frozen(damagedEntry({ id, parentId, ...shown }));
  }

  #decodeText(text: LineText, line: Line): DecodedLine {
    const record = parsed(text.text);
    if (record === undefined) return this.#damage(text.text, line);
    const decoded = this.#decodeRecord(record, line);
    if (text.isUtf8) return decoded;
    const invalid = this.#diagnostic("invalid_utf8", line, "Bytes that are no UTF-8 read as U+FFFD", decoded.entry?.id);
    return { ...decoded, diagnostics: [invalid, ...decoded.diagnostics] };
  }

  #decodeRecord(record: unknown, line: Line): DecodedLine {
    if (this.#stored === undefined) return this.#beforeHeader(record, line);
    if (this.access === "read_only") this.#requireReadable(record);
    if (!isJsonObject(record)) return this.#rejected("not_an_object", line, "A record is an object, this is none");
    if (record.type === "session") {
      this.#remember(undefined);
      return this.#rejected("second_header", line, "Another header; the first one counts");
    }
    return this.#decodeEntry(record, line);
  }

  #beforeHeader(record: unknown, line: Line): DecodedLine {
    if (!isJsonObject(record)) {
      this.#requireHeaderSoon();
      return this.#rejected("not_an_object", line, "A record is an object, this is none");
    }
    if (isTitleLine(record)) {
      this.#titleLine = record;
      return { diagnostics: [] };
    }
    this.#stored = readHeader(withTitle(record, this.#titleLine), this.#source.path);
    this.#remember(undefined);
    if (this.access !== "read_only") return { diagnostics: [] };
    return this.#rejected("unsupported_version", line, `Version ${this.version} is newer than this program: read only`);
  }

  #decodeEntry(record: JsonObject, line: Line): DecodedLine {
    const stored = placed(this.#isOfOlderForm ? this.#upgraded(record, this.#ownPlace()) : record);
    this.#remember(stored?.id);
    if (stored === undefined) return this.#rejected("malformed_line", line, "Type, id or parent can't be read");
    this.#previousId = stored.id;
    if (hasUsableBody(stored)) return { entry: asEntry(stored), diagnostics: [] };
    const found = this.#diagnostic("damaged_entry", line, "The body can't be used", stored.id);
    return { entry: damagedEntry(stored), diagnostics: [found] };
  }

  #damage(text: string, line: Line): DecodedLine {
    if (this.#stored === undefined) this.#requireHeaderSoon();
    if (!line.terminated) return this.#rejected("torn_tail", line, "The last record is incomplete");
    const head = this.#scanned(text);
    const stored = this.#stored !== undefined && head.parentId !== undefined ? placed(head) : undefined;
    if (stored === undefined || stored.type === "session") {
      return this.#rejected("malformed_line", line, "No JSON, and no head that can be read");
    }
    this.#previousId = stored.id;
    const diagnostic = this.#diagnostic("damaged_entry", line, "No JSON, only its head can be read", stored.id);
    return { entry: damagedEntry(stored), diagnostics: [diagnostic] };
  }

  #requireHeaderSoon(): void {
    if (++this.#linesInFront > mostInFront) throw noHeader(this.#source.path);
  }

  get #isOfOlderForm(): boolean {
    return this.#stored !== undefined && this.#stored.upgrades.length > 0;
  }

  #upgraded(record: JsonObject, place: RecordPlace): JsonObject {
    return (this.#stored?.upgrades ?? []).reduce((form, upgrade) => upgrade(form, place), record);
  }

  #again(record: JsonObject, { id, parentId }: EntryPlace): JsonObject {
    if (!this.#isOfOlderForm) return record;
    const idAt = (index: number) => (index < this.#recordIds.indexOf(id) ? this.#recordIds[index] : undefined);
    return this.#upgraded(record, { id, parentId, idAt });
  }

  #ownPlace(): RecordPlace {
    const id = mintedId(this.#lineNumber ?? 0);
    return { id, parentId: this.#previousId, idAt: (index) => this.#recordIds[index] };
  }

  #scanned(text: string): JsonObject {
    const head = scanHead(text);
    return this.#stored?.upgrades.includes(fromJulia) ? fromJulia(head) : head;
  }

  #remember(id: string | undefined): void {
    if (this.version === 1) this.#recordIds.push(id);
  }

  /** Of a version that is not known, the first record decides whether its entries can be read as the current one's. */
  #requireReadable(record: unknown): void {
    if (this.#isReadable) return;
    const isReadable = isJsonObject(record) && record.parentId !== undefined && placed(record) !== undefined;
    if (!isReadable) throw unsupported(this.version, this.#source);
    this.#isReadable = true;
  }

  /** What follows an unterminated line is still that line: its newline, or the whole of it again. */
  #count(line: Pick<Line, "start" | "end" | "terminated">): void {
    const last = this.#last;
    const goesOn = last?.terminated === false && (line.start === last.start || line.start === last.end);
    if (!goesOn && this.#lineNumber !== undefined) this.#lineNumber++;
    this.#last = { start: goesOn ? last.start : line.start, end: line.end, terminated: line.terminated };
  }

  #rejected(code: DiagnosticCode, line: Line, message: string): DecodedLine {
    return { diagnostics: [this.#diagnostic(code, line, message)] };
  }

  #diagnostic(code: DiagnosticCode, line: Line, message: string, entryId?: string): Diagnostic {
    const number = this.#lineNumber === undefined ? {} : { line: this.#lineNumber };
    return {
      code,
      ...number,
      byteStart: line.start,
      byteEnd: line.end,
      ...(entryId === undefined ? {} : { entryId }),
      message,
    };
  }
}

function entryOf(stored: PlacedRecord): SessionTreeEntry {
  return hasUsableBody(stored) ? asEntry(stored) : damagedEntry(stored);
}

function asEntry(stored: PlacedRecord): SessionTreeEntry {
  return stored as unknown as SessionTreeEntry;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function parsed(text: string): unknown {
  try {
    return jsonValue(text);
  } catch {
    return undefined;
  }
}
