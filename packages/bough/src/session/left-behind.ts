import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { commonAncestor } from "../tree/path.ts";
import type { Leaf } from "../tree/session-tree.ts";
import type { Program } from "./program.ts";
import type { SessionState } from "./session-state.ts";

/** The entries on the path to `from` that are not on the path to `to`, root first, and the last they share. */
export function* leftBehind(
  state: SessionState,
  from: Leaf,
  to: Leaf,
): Program<{ readonly entries: readonly SessionTreeEntry[]; readonly commonAncestorId: Leaf }> {
  for (const id of [from, to]) if (id !== null) state.requireHead(id);
  const commonAncestorId = commonAncestor(state, from, to);
  const ascent = state.ascent(from);
  const heads: EntryHead[] = [];
  for (let head = ascent.at(0); head && head.id !== commonAncestorId; head = ascent.at(heads.length)) heads.push(head);
  return { entries: yield* state.entries(heads.reverse()), commonAncestorId };
}
