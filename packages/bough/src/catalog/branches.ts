import type { EntryHead } from "../entry/head.ts";
import { branchTips } from "../tree/branches.ts";
import { SessionTree } from "../tree/session-tree.ts";

/** Finds the ends of the branches that hold an entry, over all heads of its session in log order. */
export class Branches {
  readonly #tree = new SessionTree();
  readonly #tips: ReadonlySet<string>;

  constructor(heads: Iterable<EntryHead>) {
    for (const head of heads) this.#tree.add(head);
    this.#tips = new Set(branchTips(this.#tree).map(({ id }) => id));
  }

  /** In no particular order; none for an entry that is no part of a branch, and has none below it. */
  holding(id: string): readonly string[] {
    const tips: string[] = [];
    const met = new Set([id]);
    const pending = [id];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.#tips.has(next)) tips.push(next);
      for (const child of this.#tree.childrenOf(next)) {
        if (met.has(child.id)) continue;
        met.add(child.id);
        pending.push(child.id);
      }
    }
    return tips;
  }
}
