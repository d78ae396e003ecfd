import { type EntryDraft, requireChild, validateDraft } from "bough";
import { jsonCopy } from "bough/format";

/** A frozen copy of a draft, as a child of the leaf will hold it. Throws `invalid_entry` for what can be stored as none. */
export function storableDraft(draft: EntryDraft): EntryDraft {
  const copy = jsonCopy(draft);
  validateDraft(copy);
  requireChild(copy);
  return copy;
}
