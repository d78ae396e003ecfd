import type { SessionTreeEntryBase } from "../../entry/entry.ts";
import { jsonText } from "../../entry/json.ts";
import type { Line } from "../../format/lines.ts";
import { lineBreak } from "./own-line.ts";

/** The bytes of a line as it stands. */
export function verbatim(line: Line): Uint8Array {
  return line.terminated ? Buffer.concat([line.bytes, lineBreak]) : Buffer.from(line.bytes);
}

export function lineOf(json: string): Uint8Array {
  return Buffer.from(`${json}\n`);
}

/** JSON with the head in front, where it can be read whatever becomes of the body. Of a stored record, so nothing is refused. */
export function headFirstJson({ type, id, parentId, timestamp, ...body }: SessionTreeEntryBase): string {
  return jsonText({ type, id, parentId, timestamp, ...body });
}
