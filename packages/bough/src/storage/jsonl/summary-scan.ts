import type { MessageEntry, SessionTreeEntry } from "../../entry/entry.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { isJsonObject, type JsonObject } from "../../entry/json.ts";
import { scanHead } from "../../format/head-scan.ts";
import { lineText } from "../../format/line-text.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { hasUsableBody } from "../../format/stored-body.ts";
import { noHeader } from "../../format/stored-header.ts";
import type { SessionInfo } from "../../session/session-store.ts";
import { activityOf, isActivity, SummaryFold } from "../../session/summary-fold.ts";
import { endLength, type LineStart, LineStarts } from "./line-starts.ts";
import { messageFrom, timeAtEnd } from "./message-edges.ts";

/*
 * What a list shows of a session, found in one pass over its bytes in memory that does not depend on them. Of each line
 * the first bytes tell what it is, since heads come first; few lines are looked at more closely, and none is held that
 * is longer than `longestScanned`: such a message has its own time if it stands at the line's end, as it does with all
 * known writers, else its entry's. Bodies are not checked: that is what opening a session does.
 */
export class SummaryScan {
  readonly #path: string;
  readonly #decoder: SessionDecoder;
  readonly #lines: LineStarts;
  #fold: SummaryFold | undefined;
  #offset = 0;

  /** `lines` may have served another scan, which is over. */
  constructor(path: string, lines = new LineStarts(longestHeader)) {
    this.#path = path;
    this.#lines = lines;
    lines.reset(longestHeader);
    this.#decoder = new SessionDecoder({ path });
  }

  /** As soon as it was read. */
  get header(): SessionHeader | undefined {
    return this.#decoder.header;
  }

  /** Throws `invalid_session` or `unsupported_version` where a list has nothing to show. */
  push(chunk: Uint8Array): void {
    for (const line of this.#lines.push(chunk)) this.#take(line);
  }

  /** `fileTime` stands in where the session tells no time. */
  end(fileTime: Date): SessionInfo {
    const tail = this.#lines.end();
    if (tail) this.#take(tail);
    if (!this.#fold) throw noHeader(this.#path);
    return { ...this.#fold.info(fileTime), path: this.#path };
  }

  #take(line: LineStart): void {
    if (this.#fold) this.#takeRecord(line, this.#fold);
    else this.#takeFirst(line);
  }

  #takeFirst({ bytes, length, terminated }: LineStart): void {
    const start = this.#offset;
    this.#offset += length + 1;
    this.#decoder.decode({ bytes, start, end: this.#offset, terminated });
    if (!this.#decoder.header) return;
    this.#fold = new SummaryFold(this.#decoder.header);
    this.#lines.limit = longestScanned;
  }

  #takeRecord(line: LineStart, fold: SummaryFold): void {
    const role = line.terminated ? line.role() : undefined;
    if (role !== undefined && (fold.hasPreview || role === "system")) {
      fold.addActivity(activityIn(line, role));
      return;
    }
    const type = typeOf(line);
    switch (type) {
      case "message":
        fold.add(messageOf(line));
        break;
      case "custom_message":
        if (!fold.hasPreview) this.#takeWhole(line, type, fold);
        break;
      case "session_info":
      case "title_change":
        this.#takeWhole(line, type, fold);
    }
  }

  #takeWhole(line: LineStart, type: string, fold: SummaryFold): void {
    const record = wholeRecord(line, type);
    if (record) fold.add(record);
  }
}

const longestHeader = 16 << 20;
/** Of a longer line no more than both ends is looked at. */
export const longestScanned = 64 << 10;
const longestHead = 1024;

/** What no newline has ended may still be being written. */
function typeOf(line: LineStart): unknown {
  if (!line.terminated) return parsed(line)?.type;
  return (
    line.type() ??
    scanHead(textOf(line.bytes.subarray(0, longestHead))).type ??
    scanHead(textOf(line.bytes)).type ??
    parsed(line)?.type
  );
}

/** When the user or the model said what the line holds; undefined if it holds nothing of theirs, or tells no time. */
export function activityOfLine(line: LineStart): number | undefined {
  const role = line.terminated ? line.role() : undefined;
  if (role !== undefined) return activityIn(line, role);
  return typeOf(line) === "message" ? activityOf(messageOf(line)) : undefined;
}

/** Of a message that begins in the usual way, and most often ends so. */
function activityIn(line: LineStart, role: string): number | undefined {
  if (!isActivity(role)) return undefined;
  return line.time() ?? timeAtEnd(line.last(endLength)) ?? activityOf(messageOf(line));
}

function messageOf(line: LineStart): MessageEntry {
  const record = wholeRecord(line, "message");
  if (record?.type === "message") return record;
  const start = textOf(line.bytes);
  const isLong = line.length > line.bytes.length;
  return messageFrom(scanHead(start), isLong ? { start, end: line.last(endLength) } : undefined);
}

/** Undefined if the line is longer than what is held of it, or its body can't be used. */
function wholeRecord(line: LineStart, type: string): SessionTreeEntry | undefined {
  const record = parsed(line);
  return record?.type === type && hasUsableBody({ ...record, type })
    ? (record as unknown as SessionTreeEntry)
    : undefined;
}

function parsed({ bytes, length }: LineStart): JsonObject | undefined {
  if (length > bytes.length) return undefined;
  try {
    const record: unknown = JSON.parse(textOf(bytes));
    return isJsonObject(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function textOf(bytes: Uint8Array): string {
  return lineText({ bytes, start: -1 }).text;
}
