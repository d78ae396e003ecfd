import { isJsonObject, type JsonObject } from "../entry/json.ts";

/** Version 2 called messages of extensions `hookMessage`. */
export function upgradeV2(record: JsonObject): JsonObject {
  const { message } = record;
  if (!isJsonObject(message) || message.role !== "hookMessage") return record;
  return { ...record, message: { ...message, role: "custom" } };
}
