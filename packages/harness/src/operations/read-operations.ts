import type { EntryHead, Session } from "bough";
import { isOperationType, type OperationName, type OperationRecord, operationIn, operationType } from "./operation.ts";

/**
 * What harnesses wrote down in a session as far as it matters at the leaf, in log order: all that waits or waited to be
 * said, and what was done since the last run on this path began. Reads those bodies and no others.
 */
export async function readOperations(session: Session): Promise<readonly OperationRecord[]> {
  const tree = await session.readTree();
  const onPath = pathOf(session, (id) => tree.get(id)?.parentId);
  const heads: EntryHead[] = [];
  for (const head of tree.heads()) if (isOperationType(head.customType)) heads.push(head);
  const began = heads.findLastIndex(
    (head) => is(head, "op_start") && head.parentId !== null && onPath.has(head.parentId),
  );
  const relevant = heads.filter((head, index) => {
    return is(head, "queue") || is(head, "queue_cleared") || (began !== -1 && index >= began);
  });
  const { host } = session.storage;
  const entries = await session.storage.read(host.state.entries(relevant));
  return entries.flatMap((entry) => operationIn(entry) ?? []);
}

/** The ids on the path to the leaf. */
export function pathOf(session: Session, parentOf: (id: string) => string | null | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let id: string | null = session.leafId; id !== null && !ids.has(id); id = parentOf(id) ?? null) ids.add(id);
  return ids;
}

function is(head: EntryHead, name: OperationName): boolean {
  return head.customType === operationType(name);
}
