import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { uuidV7 } from "../entry/uuid.ts";
import type { Leaf } from "../tree/session-tree.ts";

/** Where ids and times come from; nothing below the command line takes them from elsewhere. */
export interface EntryFactory {
  readonly newId: () => string;
  /** Its ids are nobody else's either, so that nobody has to look whether one is taken. */
  readonly isUnique?: true;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const systemFactory: EntryFactory = { newId: uuidV7(), isUnique: true, now: Date.now };

/** Whether nobody else can have an id of this factory. */
export function makesOwnIds(factory: EntryFactory = systemFactory): boolean {
  return factory.isUnique === true;
}

/** Id and time of an entry to come; the id is none of the session's. */
export function newPlace(session: { readonly factory: EntryFactory; has(id: string): boolean }): {
  id: string;
  timestamp: string;
} {
  const { factory } = session;
  let id = factory.newId();
  for (let tries = 0; !factory.isUnique && session.has(id); tries++)
    id = tries < 100 ? factory.newId() : systemFactory.newId();
  return { id, timestamp: isoTime(factory.now()) };
}

let lastTime = { now: 0, iso: new Date(0).toISOString() };

/** Entries come many in a millisecond. */
function isoTime(now: number): string {
  if (now !== lastTime.now) lastTime = { now, iso: new Date(now).toISOString() };
  return lastTime.iso;
}

export interface Place {
  readonly id: string;
  readonly parentId: Leaf;
  readonly timestamp: string;
}

/** Gives a draft its place in the tree. */
export function placed(draft: EntryDraft, { id, parentId, timestamp }: Place): SessionTreeEntry {
  return Object.assign({ type: draft.type, id, parentId, timestamp }, draft) as SessionTreeEntry;
}
