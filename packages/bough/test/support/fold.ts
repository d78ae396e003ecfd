import type { EntryHead } from "../../src/entry/head.ts";
import { headsOf, tree as headsOfDrawing } from "../../src/testing/index.ts";
import { SessionTree } from "../../src/tree/index.ts";

export function fold(heads: Iterable<EntryHead>): SessionTree {
  const tree = new SessionTree();
  for (const head of heads) tree.add(head);
  return tree;
}

/** The tree of a session in the notation of `expand`. */
export function foldRecords(text: string): SessionTree {
  return fold(headsOf(text));
}

/** The tree of a drawing in the notation of `tree`. */
export function foldDrawing(drawing: string): SessionTree {
  return fold(headsOfDrawing(drawing));
}
