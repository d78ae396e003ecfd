import type { SessionTreeEntry } from "../entry/entry.ts";
import { type EntryHead, headOf } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { storageError } from "../storage/files/file-errors.ts";
import type { FileSystem } from "../storage/files/file-system.ts";
import { type EndSizes, SessionFile } from "../storage/jsonl/session-file.ts";
import type { SessionHeads } from "./source.ts";

/** Little of the end is read whole, since of most lines nothing but the head is wanted. */
const sizes: EndSizes = { first: 4 << 10, most: 256 << 10, near: 6 << 20 };

/** As `CatalogSource.heads`. */
export function headsIn<T>(path: string, fileSystem: FileSystem, use: (session: SessionHeads) => T): T {
  try {
    const file = new SessionFile(path, fileSystem, sizes);
    try {
      const { header } = file;
      return use({ header, heads: withEndsRead(allHeads(file), file), read: (positions) => file.read(positions) });
    } finally {
      file.close();
    }
  } catch (error) {
    throw storageError(error, { operation: "read", path });
  }
}

function allHeads(file: SessionFile): EntryHead[] {
  const stretches = [file.takeNews().heads];
  for (let older = file.older("all"); older; older = file.older("all")) stretches.push(Array.from(older.heads));
  return stretches.reverse().flat();
}

/** Of several heads with one id the last counts. */
function withEndsRead(heads: readonly EntryHead[], file: SessionFile): EntryHead[] {
  const counting = new Map(heads.map((head) => [head.id, head]));
  const continued = new Set<string | null>();
  for (const head of counting.values()) {
    if (head.parentId !== head.id && kindOf(head) !== "mark") continued.add(head.parentId);
  }
  const ends = Array.from(counting.values()).filter(({ id, type }) => type === "message" && !continued.has(id));
  const entries = file.read(
    ends.map(({ position }) => position),
    "shape",
  );
  const read = new Map(ends.map((head, index) => [head, headOf(entries[index] as SessionTreeEntry, head.position)]));
  return heads.map((head) => read.get(head) ?? head);
}
