import { droppedEntries, type Session, type SessionTreeEntry } from "bough";
import { UsageError } from "./usage-error.ts";

/** What the compaction `id` took out of the context. */
export async function droppedBy(session: Session, id: string): Promise<readonly SessionTreeEntry[]> {
  const path = await session.getBranch(id);
  if (path.at(-1)?.type === "compaction") return droppedEntries(path);
  throw new UsageError("--dropped needs a compaction", "`bough tree SESSION` shows compactions among the entries.");
}
