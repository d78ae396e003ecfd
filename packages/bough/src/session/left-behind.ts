import type { SessionTreeEntry } from "../entry/entry.ts";
import { commonAncestor, pathTo } from "../tree/path.ts";
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
  const commonAncestorId = commonAncestor(state.tree, from, to);
  const { heads } = pathTo(state.tree, from);
  const first = heads.findIndex((head) => head.id === commonAncestorId) + 1;
  return { entries: yield* state.entries(heads.slice(first)), commonAncestorId };
}
