import type { EntryHead } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import type { Leaf } from "./leaf.ts";

/** What a position depends on, of an entry. */
export type Place = Pick<EntryHead, "id" | "type" | "parentId" | "customType" | "targetId">;

/** Where marks lead, over heads that may be added to. A chain of marks is walked once. */
export class Positions {
  readonly #nodes: Places;
  /** Where a walk over marks ended; to itself while one is under way. */
  readonly #shortcuts = new Map<string, string | null>();

  constructor(nodes: Places) {
    this.#nodes = nodes;
  }

  /** As `of`, of a head that is among the nodes. */
  ofHead(head: Place): Leaf | undefined {
    if (kindOf(head) === "mark") return this.of(head.id);
    return head.type === "damaged" ? undefined : head.id;
  }

  /**
   * Where a conversation stands that was left at `id`: a conversation, state or unknown entry stands for itself, a
   * `leaf` for its target, another mark for its parent. Undefined where that leads nowhere.
   */
  of(id: string): Leaf | undefined {
    const first = this.#nodes.get(id);
    if (first && kindOf(first) !== "mark") return first.type === "damaged" ? undefined : id;
    const walked: string[] = [];
    let current: string | null = id;
    while (current !== null) {
      const head = this.#nodes.get(current);
      if (!head || kindOf(head) !== "mark") break;
      const shortcut = this.#shortcuts.get(current);
      const next: string | null = shortcut === undefined ? markedBy(head) : shortcut;
      if (next === current) break;
      walked.push(current);
      this.#shortcuts.set(current, current);
      current = next;
    }
    for (const mark of walked) this.#shortcuts.set(mark, current);
    if (current === null) return null;
    const end = this.#nodes.get(current);
    return end && end.type !== "damaged" && kindOf(end) !== "mark" ? current : undefined;
  }

  /** Of one mark whose head was replaced, or of all. */
  forget(id?: string): void {
    if (id === undefined) this.#shortcuts.clear();
    else this.#shortcuts.delete(id);
  }
}

/** Where a walk looks them up. */
interface Places {
  get(id: string): Place | undefined;
}

/** Where a mark points to; to itself, which is nowhere, if it is a leaf record without a target. */
function markedBy(mark: Place): string | null {
  if (mark.type !== "leaf") return mark.parentId;
  return mark.targetId === undefined ? mark.id : mark.targetId;
}
