import type { JsonObject } from "../entry/json.ts";
import type { RecordPlace } from "./upgrade.ts";

/** The id of a record that was stored without one: its line number as eight hex digits, so that every reader agrees. */
export function mintedId(line: number): string {
  return line.toString(16).padStart(8, "0");
}

/** Version 1 had no ids: a session was the order of its lines. Ids and parents that a record has all the same stay. */
export function upgradeV1(record: JsonObject, place: RecordPlace): JsonObject {
  const { firstKeptEntryIndex, ...rest } = record;
  const id = typeof record.id === "string" && record.id !== "" ? record.id : place.id;
  const parentId = record.parentId === undefined ? place.parentId : record.parentId;
  const kept = typeof firstKeptEntryIndex === "number" ? place.idAt(firstKeptEntryIndex) : undefined;
  return { ...rest, id, parentId, ...(kept === undefined ? {} : { firstKeptEntryId: kept }) };
}

/** Version 1 named the file a session was branched from in a field of its own. */
export function upgradeHeaderV1(header: JsonObject): JsonObject {
  const { branchedFrom } = header;
  if (typeof branchedFrom !== "string" || header.parentSession !== undefined) return header;
  return { ...header, parentSession: branchedFrom };
}
