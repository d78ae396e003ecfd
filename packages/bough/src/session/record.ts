import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { frozen } from "../entry/frozen.ts";
import { type HeadContent, type HeadParticulars, headContent, headParticulars } from "../entry/head.ts";
import { jsonValue } from "../entry/json-value.ts";
import { validateDraft, validateEntry } from "../entry/validate.ts";
import { encodeCopy, encodeDraft, encodePlaced, type PlacelessLine, serialise } from "../format/encode.ts";
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
  return { head: headContent(entry), entry, json: encodeCopy(entry) };
}

/** A draft in the form it is stored in, which lacks its place: what becomes of the draft later changes nothing. */
export interface SerialisedDraft {
  readonly type: string;
  readonly line: PlacelessLine;
  readonly particulars: HeadParticulars;
}

/** Throws `invalid_entry`. */
export function serialisedDraft(draft: EntryDraft): SerialisedDraft {
  const line = encodeDraft(draft);
  validateDraft(draft);
  return { type: draft.type, line, particulars: headParticulars(draft) };
}

/** Throws `invalid_entry` where the line would get too long. */
export function placedDraft({ type, line, particulars }: SerialisedDraft, place: Place): EntryRecord {
  const { id, parentId, timestamp } = place;
  return new PlacedDraft({ id, parentId, type, timestamp, ...particulars }, encodePlaced(line, place));
}

/** Hardly anybody wants the entry itself back, so it is read from its JSON when somebody does. */
class PlacedDraft implements EntryRecord {
  readonly head: HeadContent;
  readonly json: string;
  #entry: SessionTreeEntry | undefined;

  constructor(head: HeadContent, json: string) {
    this.head = head;
    this.json = json;
  }

  get entry(): SessionTreeEntry {
    this.#entry ??= frozen(jsonValue(this.json) as SessionTreeEntry);
    return this.#entry;
  }
}
