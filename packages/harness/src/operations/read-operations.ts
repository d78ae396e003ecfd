import type { Session } from "bough";
import { isOperationType, type Operations as OperationData, type OperationRecord, operationIn } from "./operation.ts";

/** What harnesses wrote down in a session, as far as it matters at the leaf. */
export interface Operations {
  /** In log order: of the last run that began on this path all, and whatever may still wait to be said. */
  readonly records: readonly OperationRecord[];
  /** Entries that were looked at, and those of them that lie on the path. An effect stands behind what announces it. */
  readonly seen: ReadonlySet<string>;
  readonly onPath: ReadonlySet<string>;
}

/**
 * Reads back from the end, and stops where nothing older counts: when the place was met where the last run on this path
 * began, and a prompt that was answered and left nothing waiting.
 */
export async function readOperations(session: Session): Promise<Operations> {
  const records: OperationRecord[] = [];
  const [seen, onPath] = [new Set<string>(), new Set<string>()];
  const places = new Set<string>();
  const answered = new Set<string>();
  let next = session.leafId;
  let [isRunKnown, isQueueKnown] = [next === null, false];
  for (const head of session.headsBackwards()) {
    seen.add(head.id);
    if (head.id === next) {
      onPath.add(head.id);
      next = head.parentId;
      isRunKnown ||= next === null || places.has(head.id);
    }
    const record = isOperationType(head.customType) ? operationIn(await session.getEntry(head.id)) : undefined;
    if (record) {
      records.push(record);
      if (record.name === "op_end" && leavesNothing(record.data)) answered.add(record.data.op);
      if (record.name === "op_start") {
        if (record.parentId !== null) places.add(record.parentId);
        isQueueKnown ||= record.data.kind === "prompt" && answered.has(record.id);
      }
    }
    if (isRunKnown && isQueueKnown) break;
  }
  return { records: records.reverse(), seen, onPath };
}

function leavesNothing({ outcome, waiting }: OperationData["op_end"]): boolean {
  return outcome === "answered" && waiting === undefined;
}
