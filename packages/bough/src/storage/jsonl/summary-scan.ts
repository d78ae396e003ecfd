import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { SessionHeader } from "../../entry/header.ts";
import { isJsonObject, type JsonObject } from "../../entry/json.ts";
import { scanHead } from "../../format/head-scan.ts";
import { lineText } from "../../format/line-text.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { hasUsableBody } from "../../format/stored-body.ts";
import type { SessionInfo } from "../../session/session-store.ts";
import { SummaryFold } from "../../session/summary-fold.ts";
import { type LineStart, LineStarts } from "./line-starts.ts";
import { messageFrom } from "./message-start.ts";
import { noHeader } from "./session-lines.ts";

/*
 * What a list shows of a session, found in one pass over its bytes in memory that does not depend on them. Of each line
 * the first bytes tell what it is, since heads come first; few lines are looked at more closely, and none is held that
 * is longer than `longestLine`. Bodies are not checked: that is what opening a session does.
 */
export class SummaryScan {
  readonly #path: string;
  readonly #decoder: SessionDecoder;
  readonly #lines = new LineStarts(longestHeader);
  #fold: SummaryFold | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
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
    this.#lines.limit = longestLine;
  }

  #takeRecord(line: LineStart, fold: SummaryFold): void {
    const head = headOf(line);
    switch (head.type) {
      case "message":
        fold.add(fold.hasPreview ? messageFrom(head) : messageOf(line, head));
        break;
      case "custom_message":
      case "session_info":
      case "title_change": {
        const record = wholeRecord(line, head.type);
        if (record) fold.add(record);
      }
    }
  }
}

const longestHeader = 16 << 20;
const longestLine = 64 << 10;
const longestHead = 1024;

/** How bough, pi and oh-my-pi begin a line, with nothing escaped. Anything else is looked at more closely. */
const usualHead = /^\{"type":"([a-z_]+)","id":"([\w-]+)","parentId":(?:null|"([\w-]+)"),"timestamp":"([\w:.+-]+)"[,}]/;

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, Math.min(length, 256)).toString("latin1");
}

function messageOf(line: LineStart, head: JsonObject): SessionTreeEntry {
  const isLong = line.length > line.bytes.length;
  return wholeRecord(line, "message") ?? messageFrom(head, isLong ? textOf(line.bytes) : undefined);
}

function headOf(line: LineStart): JsonObject {
  const whole = () => parsed(line) ?? {};
  // What no newline has ended may still be being written.
  if (!line.terminated) return whole();
  const usual = usualHead.exec(latin1(line.bytes));
  if (usual) return { type: usual[1], id: usual[2], parentId: usual[3] ?? null, timestamp: usual[4] };
  const head = scanHead(textOf(line.bytes.subarray(0, longestHead)));
  return head.type !== undefined && head.timestamp !== undefined
    ? head
    : { ...scanHead(textOf(line.bytes)), ...whole() };
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
