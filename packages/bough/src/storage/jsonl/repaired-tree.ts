import type { SessionTreeEntry } from "../../entry/entry.ts";
import { headOf } from "../../entry/head.ts";
import { kindOf } from "../../entry/kind.ts";
import { Ascent } from "../../tree/path.ts";
import { type Leaf, SessionTree } from "../../tree/session-tree.ts";

/** The entries of a repaired session as they are written, each linked so that it leads to a root. */
export class RepairedTree {
  readonly #tree = new SessionTree();
  /** Entries all of whose ancestors were written before them: linking to one can't close a cycle. */
  readonly #rooted = new Set<string>();
  #previous: Leaf = null;
  /** As `#previous`, and a leaf can stand there. */
  #position: Leaf = null;

  /** The entry with the links it needs, the same object if it needs none. */
  add(entry: SessionTreeEntry, needsParent: boolean): SessionTreeEntry {
    const linked = this.#linked(entry, needsParent);
    this.#tree.add(headOf(linked, this.#tree.size));
    if (linked.parentId === null || this.#rooted.has(linked.parentId)) this.#root(linked);
    return linked;
  }

  #root(entry: SessionTreeEntry): void {
    this.#rooted.add(entry.id);
    if (kindOf(entry) === "mark") return;
    this.#previous = entry.id;
    if (entry.type !== "damaged") this.#position = entry.id;
  }

  #linked(entry: SessionTreeEntry, needsParent: boolean): SessionTreeEntry {
    if (entry.type === "leaf") return this.#leaf(entry, needsParent);
    if (kindOf(entry) === "mark") {
      return this.#leadsSomewhere(entry.parentId) ? entry : { ...entry, parentId: this.#anchor(this.#tree.leaf) };
    }
    const linked = needsParent ? { ...entry, parentId: this.#previous } : entry;
    return linked.type === "compaction" ? this.#keeping(linked) : linked;
  }

  /** One that names nothing leaves the leaf where it is. */
  #leaf(entry: SessionTreeEntry & { readonly type: "leaf" }, needsParent: boolean): SessionTreeEntry {
    const targetId = this.#leadsSomewhere(entry.targetId) ? entry.targetId : this.#tree.leaf;
    if (targetId === entry.targetId && !needsParent) return entry;
    return { ...entry, parentId: this.#anchor(targetId), targetId };
  }

  #anchor(id: Leaf): Leaf {
    return id === null || this.#rooted.has(id) ? id : this.#position;
  }

  /** What a summary names as kept and is not on its path was not kept. */
  #keeping(entry: SessionTreeEntry & { readonly type: "compaction" }): SessionTreeEntry {
    const { firstKeptEntryId: kept, id, parentId } = entry;
    if (typeof kept !== "string" || kept === id) return entry;
    if (new Ascent(this.#tree, parentId).stepTo(kept) !== undefined) return entry;
    return { ...entry, firstKeptEntryId: id };
  }

  #leadsSomewhere(id: Leaf): boolean {
    return id === null || this.#tree.positionOf(id) !== undefined;
  }
}
