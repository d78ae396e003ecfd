import type { EntryHead } from "../entry/head.ts";
import type { RecordBatch } from "./entry-log.ts";

/** Heads that became known, in log order, after they were applied. */
export interface Arrival {
  readonly heads: readonly EntryHead[];
  /** Whether this process wrote one of them. */
  readonly isOwn: (id: string) => boolean;
  /** Whether a request waits for its acknowledgement. */
  readonly requested: boolean;
}

export type Observer = (arrival: Arrival) => void;

/** Tells apart what was written in `batches`; nearly always that is all there is. */
export function ownership(heads: readonly EntryHead[], batches: readonly RecordBatch[]): Arrival["isOwn"] {
  if (areWritten(heads, batches)) return isAnyId;
  const ids = new Set(batches.flat().map(({ head }) => head.id));
  return (id) => ids.has(id);
}

function areWritten(heads: readonly EntryHead[], batches: readonly RecordBatch[]): boolean {
  let known = 0;
  for (let index = 0; index < batches.length; index++) {
    const batch = batches[index] as RecordBatch;
    for (let at = 0; at < batch.length; at++) if (heads[known++]?.id !== batch[at]?.head.id) return false;
  }
  return known === heads.length;
}

/** Of an arrival in which all is own. */
export function isAnyId(): boolean {
  return true;
}

/** Of one in which nothing is. */
export function isNoId(): boolean {
  return false;
}
