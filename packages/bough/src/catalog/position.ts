import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { type Leaf, markedBy } from "../tree/session-tree.ts";

/** What a position depends on, of an entry. */
export type Place = Pick<EntryHead, "id" | "type" | "parentId" | "customType" | "targetId">;

/** As `SessionTree.positionOf`, of an entry among others that `placeOf` finds. */
export function positionOf(head: Place, placeOf: (id: string) => Place | undefined): Leaf | undefined {
  if (kindOf(head) !== "mark") return head.type === "damaged" ? undefined : head.id;
  const walked = new Set<string>();
  let current: Place | undefined = head;
  while (current && kindOf(current) === "mark" && !walked.has(current.id)) {
    walked.add(current.id);
    const next = markedBy(current);
    if (next === null) return null;
    current = placeOf(next);
  }
  return current && kindOf(current) !== "mark" ? positionOf(current, placeOf) : undefined;
}
