import { type EntryDraft, kindOf, SessionError, type SessionTreeEntry, validateDraft } from "bough";
import { serialise } from "bough/format";

/** A frozen copy of a draft, as a child of the leaf will hold it. Throws `invalid_entry` for what can be stored as none. */
export function storableDraft(draft: EntryDraft): EntryDraft {
  validateDraft(draft);
  if (kindOf(draft) === "mark") throw reserved();
  const unplaced = { id: "", parentId: null, timestamp: "" };
  const { id, parentId, timestamp, ...copy } = serialise({ ...draft, ...unplaced } as SessionTreeEntry).entry;
  return Object.freeze(copy) as EntryDraft;
}

function reserved(): SessionError<"invalid_entry"> {
  const reason = "entries of this type are marks, which stand beside a conversation";
  return new SessionError("invalid_entry", reason, { field: "customType", reason });
}
