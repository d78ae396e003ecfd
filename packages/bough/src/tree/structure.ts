import type { Diagnostic } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import { cycleAt, orphanAt } from "./path.ts";
import type { ReadonlySessionTree } from "./session-tree.ts";

/** The whole session as a forest in which every entry stands exactly once. */
export interface Structure {
  /** In log order: entries without a parent, with a missing one, and every member of a cycle. */
  readonly roots: readonly EntryHead[];
  /** Children in log order, edges inside a cycle left out. */
  readonly childrenOf: (id: string) => readonly EntryHead[];
  /** `orphan`, `self_parent` and `cycle`, in log order. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Resolves parents over the whole tree; linear and without recursion. */
export function structureOf(tree: ReadonlySessionTree): Structure {
  const detached = cycleMembers(tree);
  const roots: EntryHead[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const head of detached.size === 0 ? tree.chainStarts() : tree.heads()) {
    if (detached.has(head.id)) diagnostics.push(cycleAt(head));
    else if (head.parentId !== null && !tree.has(head.parentId)) diagnostics.push(orphanAt(head));
    else if (head.parentId !== null) continue;
    roots.push(head);
  }
  const childrenOf = (id: string) => {
    const children = tree.childrenOf(id);
    return detached.size === 0 ? children : children.filter((child) => !detached.has(child.id));
  };
  return { roots, childrenOf, diagnostics };
}

function cycleMembers(tree: ReadonlySessionTree): ReadonlySet<string> {
  const members = new Set<string>();
  if (goesBack(tree)) return members;
  const walkOf = new Map<string, number>();
  let walk = 0;
  for (const start of tree.heads()) {
    walk++;
    let head: EntryHead | undefined = start;
    while (head && !walkOf.has(head.id)) {
      walkOf.set(head.id, walk);
      head = head.parentId === null ? undefined : tree.get(head.parentId);
    }
    if (!head || walkOf.get(head.id) !== walk) continue;
    const first = head.id;
    do {
      members.add(head.id);
      head = tree.get(head.parentId as string) as EntryHead;
    } while (head.id !== first);
  }
  return members;
}

/** Whether every entry stands behind its parent: then there are no cycles, and a path up never comes to what is behind. */
export function goesBack(tree: ReadonlySessionTree): boolean {
  return !tree.chainStarts().some((head) => isAhead(tree, head));
}

/** Whether an entry stands before its parent, as in every cycle one does. */
function isAhead(tree: ReadonlySessionTree, { parentId, position }: EntryHead): boolean {
  const parent = parentId === null ? undefined : tree.get(parentId);
  return parent !== undefined && parent.position >= position;
}
