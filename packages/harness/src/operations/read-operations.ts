import type { Session } from "bough";
import { isOperationType, type OperationRecord, operationIn } from "./operation.ts";

/** Everything harnesses wrote down in a session, in log order. Costs the heads of the session, and these bodies. */
export async function readOperations(session: Session): Promise<readonly OperationRecord[]> {
  const tree = await session.readTree();
  const ids: string[] = [];
  for (const head of tree.heads()) if (isOperationType(head.customType)) ids.push(head.id);
  const entries = await Promise.all(ids.map((id) => session.getEntry(id)));
  return entries.flatMap((entry) => operationIn(entry) ?? []);
}
