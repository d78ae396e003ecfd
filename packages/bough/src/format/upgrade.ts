import type { JsonObject } from "../entry/json.ts";

/** One pure step of reading an older or foreign record: what comes out is the record as the next form has it. */
export type Upgrade = (record: JsonObject, place: RecordPlace) => JsonObject;

/** What a record that has no id of its own owes to where it stands. */
export interface RecordPlace {
  readonly id: string;
  readonly parentId: string | null;
  /** Id of the record at `index` among the parsed records, the header being 0; undefined for headers and from this record on. */
  idAt(index: number): string | undefined;
}
