import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { uuidV7 } from "../entry/uuid.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";

/** Where ids and times come from; nothing below the command line takes them from elsewhere. */
export interface EntryFactory {
  readonly newId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const systemFactory: EntryFactory = { newId: uuidV7(), now: Date.now };

/** Id and time of an entry to come; the id is none of the tree's. */
export function newPlace(state: { readonly tree: SessionTree; readonly factory: EntryFactory }): {
  id: string;
  timestamp: string;
} {
  const { tree, factory } = state;
  let id = factory.newId();
  for (let tries = 0; tree.has(id); tries++) id = tries < 100 ? factory.newId() : systemFactory.newId();
  return { id, timestamp: new Date(factory.now()).toISOString() };
}

/** Gives a draft its place in the tree. */
export function placed(draft: EntryDraft, place: { id: string; parentId: Leaf; timestamp: string }): SessionTreeEntry {
  const { type, ...fields } = draft;
  const { id, parentId, timestamp } = place;
  return { type, id, parentId, timestamp, ...fields } as SessionTreeEntry;
}
