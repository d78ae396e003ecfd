import type { DamagedEntry } from "../entry/entry.ts";
import type { JsonObject } from "../entry/json.ts";
import { storedText } from "../entry/stored-text.ts";

/** A record whose place in the session is known. */
export type PlacedRecord = JsonObject & {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
};

type EntryFront = Pick<PlacedRecord, "type" | "id" | "parentId" | "timestamp">;

/** Undefined where type, id or parent can't be read. A parent or a time that was left out is null or blank. */
export function placed(record: JsonObject): PlacedRecord | undefined {
  const { type, id, parentId = null, timestamp } = record;
  if (!isName(type) || !isName(id) || !(parentId === null || typeof parentId === "string")) return undefined;
  if (record.parentId !== undefined && typeof timestamp === "string") return record as PlacedRecord;
  return { ...record, type, id, parentId, timestamp: storedText(timestamp) };
}

/** What is left of an entry of which only the head can be used. */
export function damagedEntry({ type, id, parentId, timestamp }: EntryFront): DamagedEntry {
  return { type: "damaged", id, parentId, timestamp, originalType: type };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
