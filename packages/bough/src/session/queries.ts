import { keepPointer } from "../context/selection.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { describeEntry } from "../outline/describe-entry.ts";
import { branchTips } from "../tree/branches.ts";
import type { Leaf, ReadonlySessionTree } from "../tree/session-tree.ts";
import { structureOf } from "../tree/structure.ts";
import type { Program } from "./program.ts";
import type { SessionState } from "./session-state.ts";

/** Reads of an open session, written once for both faces. Entries they return are frozen, arrays and nodes are copies. */

export interface EntryCursor {
  /** Only entries after this one in log order. Rejects with `not_found`. */
  readonly after?: string;
  readonly limit?: number;
}

/** A node of `getTree`: children in log order. */
export interface SessionTreeNode {
  readonly entry: SessionTreeEntry;
  readonly children: SessionTreeNode[];
  readonly label?: string;
  readonly labelTimestamp?: string;
}

/** Where a branch ends. */
export interface Branch {
  readonly leafId: string;
  /** The entry there, and what it says in one line. */
  readonly entry: SessionTreeEntry;
  readonly text: string;
  readonly timestamp: string;
  /** How many entries its path has. */
  readonly length: number;
}

type Visible = (head: EntryHead) => boolean;

export function* entriesFrom(
  state: SessionState,
  cursor: EntryCursor,
  isVisible: Visible,
): Program<readonly SessionTreeEntry[]> {
  if (cursor.after !== undefined) state.requireHead(cursor.after);
  const limit = Math.max(0, cursor.limit ?? Number.POSITIVE_INFINITY);
  const heads = state.tree.heads(cursor.after).filter(isVisible).take(limit).toArray();
  return yield* state.entries(heads);
}

export function* entriesOfType(
  state: SessionState,
  type: string,
  isVisible: Visible,
): Program<readonly SessionTreeEntry[]> {
  const tree = type === "damaged" ? yield* state.provenTree() : state.tree;
  const heads = tree.heads().filter((head) => head.type === type && isVisible(head));
  const entries = yield* state.entries([...heads]);
  return entries.filter((entry) => entry.type === type);
}

export function* children(state: SessionState, id: Leaf, isVisible: Visible): Program<readonly SessionTreeEntry[]> {
  return yield* state.entries(state.tree.childrenOf(id).filter(isVisible));
}

/**
 * From the last compaction's first kept entry (or the compaction itself) to `leaf`: all entries a context can consist of.
 * State above it is not included, so nothing may be derived from this that needs the whole path.
 */
export function* pathFromCompaction(state: SessionState, leaf: Leaf): Program<readonly SessionTreeEntry[]> {
  const ascent = state.ascent(leaf);
  const heads: EntryHead[] = [];
  for (let head = ascent.at(0); head !== undefined; head = ascent.at(heads.length)) {
    heads.push(head);
    if (head.type === "compaction") break;
  }
  const [compaction] = yield* state.entries(heads.slice(-1));
  const keptId = compaction?.type === "compaction" ? keepPointer(compaction) : undefined;
  const kept = keptId === undefined ? undefined : ascent.stepTo(keptId, heads.length);
  return yield* state.entries(kept === undefined ? heads.reverse() : ascent.upTo(kept));
}

// biome-ignore lint/correctness/useYield: the state has read all heads
export function* wholeTree(state: SessionState): Program<ReadonlySessionTree> {
  return state.tree;
}

/** Every entry exactly once; roots are entries without a parent, with a missing one, and members of cycles. */
export function* treeOf(state: SessionState, isVisible: Visible): Program<SessionTreeNode[]> {
  const { tree } = state;
  const heads = [...tree.heads().filter(isVisible)];
  const entries = yield* state.entries(heads);
  const nodes = new Map<string, SessionTreeNode>();
  for (const [index, head] of heads.entries()) {
    const label = tree.labels().get(head.id);
    const marked = label && { label: label.text, labelTimestamp: label.timestamp };
    nodes.set(head.id, { entry: entries[index] as SessionTreeEntry, children: [], ...marked });
  }
  const { roots } = structureOf(tree);
  const rootIds = new Set(roots.map((root) => root.id));
  for (const [id, node] of nodes) {
    if (!rootIds.has(id)) nodes.get(node.entry.parentId as string)?.children.push(node);
  }
  return roots.flatMap((root) => nodes.get(root.id) ?? []);
}

export function* branches(state: SessionState, isVisible: Visible): Program<readonly Branch[]> {
  const ends = branchTips(state.tree).filter(isVisible);
  yield* state.prove(ends);
  const tips = ends.filter((end) => state.get(end.id)?.type !== "damaged");
  const entries = yield* state.entries(tips);
  const lengths = state.tree.chains.lengths();
  return tips.map((tip, index) => {
    const entry = entries[index] as SessionTreeEntry;
    return { leafId: tip.id, entry, text: describeEntry(entry), timestamp: tip.timestamp, length: lengths.of(tip.id) };
  });
}

/** The path to `id` (root first). Rejects with `not_found` for ids that aren't there. */
export function* pathOf(state: SessionState, id: Leaf): Program<readonly SessionTreeEntry[]> {
  if (id !== null) state.requireHead(id);
  return yield* state.path(id);
}
