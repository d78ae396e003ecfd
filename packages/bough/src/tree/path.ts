import type { Diagnostic } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import type { Leaf, ReadonlySessionTree } from "./session-tree.ts";

/** What a path needs to know of an entry. */
export interface Linked {
  readonly id: string;
  readonly parentId: string | null;
}

export interface Path<Node extends Linked = EntryHead> {
  /** Root first. */
  readonly heads: readonly Node[];
  /** Why the path begins where it does, if not at a real root: `orphan`, `self_parent` or `cycle`. */
  readonly cut?: Diagnostic;
}

/**
 * The path from a root to `leaf`; empty for null and for unknown ids. Linear, and ends on every history: members of a
 * cycle count as roots, so a path through one begins at the member it meets first.
 */
export function pathTo<Node extends Linked>(tree: { get(id: string): Node | undefined }, leaf: Leaf): Path<Node> {
  const heads: Node[] = [];
  const depth = new Map<string, number>();
  let id = leaf;
  while (id !== null) {
    const met = depth.get(id);
    if (met !== undefined) return { heads: heads.slice(0, met + 1).reverse(), cut: cycleAt(heads[met] as Node) };
    const head = tree.get(id);
    if (!head) return { heads: heads.reverse(), ...(heads.length > 0 && { cut: orphanAt(heads[0] as Node) }) };
    depth.set(id, heads.length);
    heads.push(head);
    id = head.parentId;
  }
  return { heads: heads.reverse() };
}

/** The deepest entry that lies on both paths; null if they have none in common. */
export function commonAncestor(tree: ReadonlySessionTree, a: Leaf, b: Leaf): Leaf {
  const onPath = new Set(pathTo(tree, a).heads.map((head) => head.id));
  const other = pathTo(tree, b).heads;
  for (let index = other.length - 1; index >= 0; index--) {
    const id = (other[index] as EntryHead).id;
    if (onPath.has(id)) return id;
  }
  return null;
}

/** Whether `ancestor` lies on the path to `id`, `id` itself included. */
export function isOnPath(tree: ReadonlySessionTree, ancestor: string, id: Leaf): boolean {
  return pathTo(tree, id).heads.some((head) => head.id === ancestor);
}

export function orphanAt(head: Linked): Diagnostic {
  return {
    code: "orphan",
    entryId: head.id,
    message: `${head.id} names the parent ${head.parentId}, which is not there`,
  };
}

export function cycleAt(head: Linked): Diagnostic {
  return head.parentId === head.id
    ? { code: "self_parent", entryId: head.id, message: `${head.id} names itself as its parent` }
    : { code: "cycle", entryId: head.id, message: `${head.id} is its own ancestor` };
}
