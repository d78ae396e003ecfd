import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { jsonText } from "../entry/json.ts";
import { SessionDecoder } from "../format/session-decoder.ts";

/** A header or an entry as a session file of any version holds it. */
export type FileEntry = SessionHeader | SessionTreeEntry | Readonly<Record<string, unknown>>;

export interface GivenSession {
  readonly header: SessionHeader;
  readonly entries: readonly SessionTreeEntry[];
}

/** What a file of these records would be read as; without a header among them they belong to `header`. */
export function sessionOf(records: readonly FileEntry[], header: SessionHeader): GivenSession {
  const hasHeader = (records[0] as { readonly type?: unknown } | undefined)?.type === "session";
  const decoder = new SessionDecoder();
  const entries: SessionTreeEntry[] = [];
  let start = 0;
  for (const record of hasHeader ? records : [header, ...records]) {
    const bytes = new TextEncoder().encode(jsonText(record));
    const end = start + bytes.length + 1;
    const { entry } = decoder.decode({ bytes, start, end, terminated: true });
    if (entry) entries.push(entry);
    start = end;
  }
  return { header: decoder.header ?? header, entries };
}
