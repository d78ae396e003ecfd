import type { Diagnostic } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import type { Leaf } from "./leaf.ts";
import type { Linked, Nodes } from "./nodes.ts";

export type { Linked, Nodes } from "./nodes.ts";

/** Whether a log keeps one in front of the other; false where positions aren't known. */
function isBefore(one: Linked, other: Linked): boolean {
  return one.position !== undefined && other.position !== undefined && one.position < other.position;
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
export function pathTo<Node extends Linked = EntryHead>(tree: Nodes<Node>, leaf: Leaf): Path<Node> {
  return new Ascent(tree, leaf).whole();
}

/** A path walked from its leaf upwards, no further than it is asked for. */
export class Ascent<Node extends Linked = EntryHead> {
  readonly #nodes: Nodes<Node>;
  readonly #walked: Node[] = [];
  /** The entries met, from the first step on that didn't go back in the log: without one there is no cycle. */
  #met: Set<string> | undefined;
  #next: Leaf;
  #cut: Diagnostic | undefined;

  constructor(nodes: Nodes<Node>, leaf: Leaf) {
    this.#nodes = nodes;
    this.#next = leaf;
  }

  /**
   * The entry so many steps above the leaf (0: the leaf itself); undefined above the root. One in a cycle may be given out
   * before the cycle is closed, and be on the path no more then.
   */
  at(steps: number): Node | undefined {
    // A step that doesn't go back may lead into a cycle, which is found at its end only.
    while (this.#next !== null && (this.#walked.length <= steps || this.#met)) this.#step(this.#next);
    return this.#walked[steps];
  }

  /** How many steps above the leaf an entry stands; undefined if it isn't on the path, or below `from`. */
  stepTo(id: string, from = 0): number | undefined {
    for (let steps = from; ; steps++) {
      const node = this.at(steps);
      if (node === undefined || node.id === id) return node && steps;
    }
  }

  /** Whether an entry of a type may be on the path; false is certain. */
  mayHold(type: string): boolean {
    return this.#nodes.mayHold?.(type) ?? true;
  }

  /** Whether each entry walked so far stands in the log before the one below it, so that none can come twice. */
  get goesBack(): boolean {
    return this.#met === undefined;
  }

  /** Why the path begins where it does, if the walk came there. */
  get cut(): Diagnostic | undefined {
    return this.#cut;
  }

  /** The end of the path, from the entry so many steps above the leaf, in path order. */
  upTo(steps: number): Node[] {
    this.at(steps);
    return this.#walked.slice(0, steps + 1).reverse();
  }

  whole(): Path<Node> {
    this.at(Number.POSITIVE_INFINITY);
    return { heads: this.#walked.toReversed(), ...(this.#cut && { cut: this.#cut }) };
  }

  #step(id: string): void {
    const below = this.#walked.at(-1);
    const node = this.#nodes.get(id);
    this.#next = null;
    if (!node) {
      if (below) this.#cut = orphanAt(below);
      return;
    }
    if (below && !isBefore(node, below)) this.#met ??= new Set(this.#walked.map((walked) => walked.id));
    if (this.#met?.has(node.id)) {
      this.#walked.length = this.#walked.findIndex((walked) => walked.id === node.id) + 1;
      this.#cut = cycleAt(this.#walked.at(-1) as Node);
      return;
    }
    this.#met?.add(node.id);
    this.#walked.push(node);
    this.#next = node.parentId;
  }
}

/** The deepest entry that lies on both paths; null if they have none in common. Walks them no further than there. */
export function commonAncestor(nodes: Nodes, a: Leaf, b: Leaf): Leaf {
  const ascents = [new Ascent(nodes, a), new Ascent(nodes, b)] as const;
  const met = [new Set<string>(), new Set<string>()] as const;
  for (let step = 0; ; step++) {
    const [left, right] = [ascents[0].at(step), ascents[1].at(step)];
    if (left === undefined && right === undefined) return null;
    if (left) met[0].add(left.id);
    if (right) met[1].add(right.id);
    if (left && met[1].has(left.id)) return left.id;
    if (right && met[0].has(right.id)) return right.id;
  }
}

/** Whether `ancestor` lies on the path to `id`, `id` itself included. */
export function isOnPath(tree: Nodes, ancestor: string, id: Leaf): boolean {
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
