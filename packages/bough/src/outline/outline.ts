import type { EntryHead, Position } from "../entry/head.ts";
import { pathTo } from "../tree/path.ts";
import type { Leaf, ReadonlySessionTree } from "../tree/session-tree.ts";
import { type Structure, structureOf } from "../tree/structure.ts";

/** One visible line of the tree, before any text, colour, width or markup. */
export interface OutlineRow {
  readonly id: string;
  /** The nearest ancestor that is visible too. */
  readonly parentId: string | null;
  /** How many branch points stand above; an entry without siblings is as deep as its parent. */
  readonly depth: number;
  /** What to draw for the levels outside the connector, outermost first: of more than `guideLimit` levels the innermost. */
  readonly guides: readonly Guide[];
  readonly connector: "none" | "tee" | "corner";
  readonly onActivePath: boolean;
  readonly type: string;
  readonly role?: string;
  readonly label?: string;
  /** Where the log keeps the body. */
  readonly position: Position;
}

export type Guide = "line" | "blank";

/** No terminal or page has room for more; without a limit, a tree of branch points would cost its square. */
export const guideLimit = 48;

export interface OutlineOptions {
  /** Where the conversation stands; the leaf of the tree unless given. */
  readonly leaf?: Leaf;
  /** Everything is visible unless given. Children of what isn't move up to the nearest ancestor that is. */
  readonly isVisible?: (head: EntryHead) => boolean;
  /** If the caller has it already. */
  readonly structure?: Structure;
}

/** The tree as rows, top to bottom: children in log order, the one on the active path first. Linear, without recursion. */
export function outline(tree: ReadonlySessionTree, options: OutlineOptions = {}): readonly OutlineRow[] {
  const activePath = new Set(
    pathTo(tree, options.leaf === undefined ? tree.leaf : options.leaf).heads.map(({ id }) => id),
  );
  const visible = visibleNodes(options.structure ?? structureOf(tree), activePath, options.isVisible ?? (() => true));
  const rows: OutlineRow[] = [];
  for (const node of visible) {
    node.place = placeOf(node);
    rows.push(rowOf(node, tree.labelOf(node.head.id), activePath));
  }
  return rows;
}

interface VisibleNode {
  readonly head: EntryHead;
  readonly parent: VisibleNode | undefined;
  children: number;
  drawn: number;
  place: Place;
}

interface Place {
  readonly depth: number;
  readonly guides: readonly Guide[];
  readonly connector: OutlineRow["connector"];
}

const outermost: Place = { depth: 0, guides: [], connector: "none" };

/** In drawing order, each with its nearest visible ancestor. */
function visibleNodes(
  structure: Structure,
  activePath: ReadonlySet<string>,
  isVisible: (head: EntryHead) => boolean,
): VisibleNode[] {
  const nodes: VisibleNode[] = [];
  const pending: { head: EntryHead; parent: VisibleNode | undefined }[] = [];
  const postpone = (heads: readonly EntryHead[], parent: VisibleNode | undefined) => {
    const active = heads.find((head) => activePath.has(head.id));
    for (let index = heads.length - 1; index >= 0; index--) {
      const head = heads[index] as EntryHead;
      if (head !== active) pending.push({ head, parent });
    }
    if (active) pending.push({ head: active, parent });
  };
  postpone(structure.roots, undefined);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { head, parent } = next;
    if (!isVisible(head)) {
      postpone(structure.childrenOf(head.id), parent);
      continue;
    }
    const node: VisibleNode = { head, parent, children: 0, drawn: 0, place: outermost };
    if (parent) parent.children++;
    nodes.push(node);
    postpone(structure.childrenOf(head.id), node);
  }
  return nodes;
}

/** Parents come before their children, so theirs is known. */
function placeOf({ parent }: VisibleNode): Place {
  if (!parent) return outermost;
  if (parent.children === 1) return innerPlace(parent.place);
  const isLast = ++parent.drawn === parent.children;
  return { ...innerPlace(parent.place), depth: parent.place.depth + 1, connector: isLast ? "corner" : "tee" };
}

/** Where the only child of a row stands: as deep, with a guide in place of the row's connector. */
function innerPlace(place: Place): Place {
  if (place.connector === "none") return place;
  const guide: Guide = place.connector === "tee" ? "line" : "blank";
  return { depth: place.depth, guides: [...place.guides, guide].slice(-guideLimit), connector: "none" };
}

function rowOf({ head, parent, place }: VisibleNode, label: string | undefined, path: ReadonlySet<string>): OutlineRow {
  return {
    id: head.id,
    parentId: parent?.head.id ?? null,
    ...place,
    onActivePath: path.has(head.id),
    type: head.type,
    ...(head.type === "message" && head.role !== undefined && { role: head.role }),
    ...(label !== undefined && { label }),
    position: head.position,
  };
}
