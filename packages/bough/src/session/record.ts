import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { validateEntry } from "../entry/validate.ts";
import { encodeCopy, serialise } from "../format/encode.ts";
import { type Place, placed } from "./entry-factory.ts";
import type { EntryRecord } from "./entry-log.ts";

/** An entry checked and serialised, before any I/O. Throws `invalid_entry`. */
export function recordOf(entry: SessionTreeEntry): EntryRecord {
  validateEntry(entry);
  return serialise(entry);
}

/** The same for a draft of `jsonCopy`'s making, which is given its place and needs no second copy. */
export function placedRecord(draft: EntryDraft, place: Place): EntryRecord {
  const entry = Object.freeze(placed(draft, place));
  validateEntry(entry);
  return { entry, json: encodeCopy(entry) };
}
