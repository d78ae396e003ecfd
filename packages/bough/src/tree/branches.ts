import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import type { ReadonlySessionTree } from "./session-tree.ts";

/** The ends of all branches, in log order: entries of the conversation that nothing of the conversation hangs from. */
export function branchTips(tree: ReadonlySessionTree): readonly EntryHead[] {
  const continued = new Set<string>();
  for (const head of tree.heads()) {
    if (kindOf(head) === "mark" || head.parentId === null) continue;
    const parent = tree.positionOf(head.parentId);
    if (parent && parent !== head.id) continued.add(parent);
  }
  return [...tree.heads()].filter((head) => isNode(head) && !continued.has(head.id));
}

function isNode(head: EntryHead): boolean {
  return kindOf(head) !== "mark" && head.type !== "damaged";
}
