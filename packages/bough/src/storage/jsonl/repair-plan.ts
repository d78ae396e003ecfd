import type { EntryHead } from "../../entry/head.ts";
import { headOf } from "../../entry/head.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { structureOf } from "../../tree/structure.ts";
import type { FileSystem } from "../files/file-system.ts";
import { RepairReader } from "./repair-reader.ts";
import { type Extent, linesOf } from "./session-lines.ts";

/** What has to be known of the whole file before its first line can be repaired. */
export interface RepairPlan {
  /** How many entries were found; what comes after was added later. */
  readonly entryCount: number;
  /** Of each id the entry that stays: the last one that is not damaged, else the last. */
  readonly staying: ReadonlyMap<string, number>;
  /** Ids of the entries that need another parent: theirs is missing, or leads back to them. */
  readonly relinked: ReadonlySet<string>;
}

export function planRepair(source: Extent, path: string, fileSystem: FileSystem): RepairPlan {
  const heads = headsIn(source, path, fileSystem);
  const staying = new Map<string, number>();
  for (const { id, position, type } of heads) {
    const other = staying.get(id);
    if (other === undefined || type !== "damaged" || heads[other]?.type === "damaged") staying.set(id, position);
  }
  const tree = new SessionTree();
  for (const head of heads) if (staying.get(head.id) === head.position) tree.add(head);
  return { entryCount: heads.length, staying, relinked: detached(tree) };
}

/** By ordinal. */
function headsIn(source: Extent, path: string, fileSystem: FileSystem): EntryHead[] {
  const reader = new RepairReader(path);
  const heads: EntryHead[] = [];
  for (const line of linesOf(source, fileSystem)) {
    for (const part of reader.read(line).parts) if (part.kind === "entry") heads.push(headOf(part.entry, part.ordinal));
  }
  return heads;
}

/** Orphans, and of each cycle the member that stands first. */
function detached(tree: SessionTree): ReadonlySet<string> {
  const relinked = new Set<string>();
  const seen = new Set<string>();
  for (const { code, entryId } of structureOf(tree).diagnostics) {
    if (entryId === undefined || seen.has(entryId)) continue;
    relinked.add(entryId);
    if (code === "cycle") for (const member of cycleFrom(tree, entryId)) seen.add(member);
  }
  return relinked;
}

function* cycleFrom(tree: SessionTree, first: string): Generator<string> {
  let id: string | null | undefined = first;
  do {
    yield id;
    id = tree.get(id)?.parentId;
  } while (id !== first && typeof id === "string");
}
