import { isJsonObject, type JsonObject, jsonText } from "../../entry/json.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { scanHead } from "../../format/head-scan.ts";
import { damagedEntry, placed } from "../../format/stored-head.ts";
import { nodeCrypto } from "../files/node-modules.ts";

/** What one line of a damaged file still holds. */
export interface Salvage {
  /** JSON texts of records and headers, in order. */
  readonly records: readonly string[];
  /** The line was one whole record, and nothing else. */
  readonly isWhole: boolean;
}

/**
 * Whole records are found wherever they stand in the line: behind a torn one, glued to another. Of a torn record in
 * front the head becomes a `damaged` record, so that its children keep their path. A record without an id gets one that
 * follows from its place and its text, and a parent that is nowhere, since only its place tells what it followed.
 */
export function salvage(text: string, lineNumber: number, isTerminated: boolean): Salvage {
  const whole = parsed(text);
  if (isJsonObject(whole)) {
    const named = isRecord(whole) ? whole : withId(whole, text, lineNumber);
    if (named === undefined) return { records: [], isWhole: false };
    return named === whole ? { records: [text], isWhole: true } : { records: [jsonText(named)], isWhole: false };
  }
  if (whole !== undefined) return { records: [], isWhole: false };
  const found = wholeRecords(text);
  const torn = isTerminated || found.length > 0 ? tornHead(text, found) : undefined;
  return { records: torn === undefined ? found : [torn, ...found], isWhole: false };
}

function withId(record: JsonObject, text: string, lineNumber: number): JsonObject | undefined {
  if (typeof record.type !== "string" || record.type === "session" || record.id !== undefined) return undefined;
  const id = nodeCrypto().createHash("sha256").update(`${lineNumber}\0${text}`).digest("hex").slice(0, 16);
  const { parentId } = record;
  return { ...record, id, parentId: typeof parentId === "string" || parentId === null ? parentId : nowhere };
}

const nowhere = "";

function tornHead(text: string, found: readonly string[]): string | undefined {
  const head = scanHead(text);
  const stored = head.parentId === undefined || head.type === "session" ? undefined : placed(head);
  if (stored === undefined || found.some((record) => JSON.parse(record).id === stored.id)) return undefined;
  return JSON.stringify(damagedEntry(stored));
}

// Each failure costs the rest of the line, and a line torn so often holds nothing.
const maxFailures = 20;

/** No string of JSON has the start of an object in it, since quotes are escaped there. */
const objectStart = /\{\s*"/g;

function wholeRecords(text: string): string[] {
  const found: string[] = [];
  let failures = 0;
  for (let at = startFrom(text, 0); at !== -1 && failures < maxFailures; ) {
    const end = endOfObject(text, at);
    const object = end === undefined ? undefined : parsed(text.slice(at, end));
    if (object === undefined) failures++;
    if (isRecord(object)) found.push(text.slice(at, end));
    at = startFrom(text, end === undefined || object === undefined ? at + 1 : end);
  }
  return found;
}

function startFrom(text: string, at: number): number {
  objectStart.lastIndex = at;
  return objectStart.exec(text)?.index ?? -1;
}

/** Behind the brace that closes the one at `start`, by braces outside strings. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

function isRecord(value: unknown): boolean {
  return isJsonObject(value) && placed(value) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return jsonValue(text);
  } catch {
    return undefined;
  }
}
