import type { EntryHead } from "../entry/head.ts";

/** What a path needs to know of an entry. */
export interface Linked {
  readonly id: string;
  readonly parentId: string | null;
  /** Where a log keeps it. */
  readonly position?: number;
}

/** Where a walk looks entries up. */
export interface Nodes<Node extends Linked = EntryHead> {
  get(id: string): Node | undefined;
  /** Whether there may be an entry of a type; false is certain, and cheaper than looking at all of them. */
  mayHold?(type: string): boolean;
}
