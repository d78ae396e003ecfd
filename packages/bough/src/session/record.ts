import type { SessionTreeEntry } from "../entry/entry.ts";
import { validateEntry } from "../entry/validate.ts";
import { serialise } from "../format/encode.ts";
import type { EntryRecord } from "./entry-log.ts";

/** An entry checked and serialised, before any I/O. Throws `invalid_entry`. */
export function recordOf(entry: SessionTreeEntry): EntryRecord {
  validateEntry(entry);
  return serialise(entry);
}
