import type { JsonObject } from "../entry/json.ts";

/** The 256-byte line that oh-my-pi keeps in front of the header and overwrites in place. */
export function isTitleLine(record: JsonObject): boolean {
  return record.type === "title" && typeof record.title === "string";
}

export function withTitle(header: JsonObject, titleLine: JsonObject | undefined): JsonObject {
  if (titleLine === undefined) return header;
  const { title, source } = titleLine;
  return { ...header, title, ...(typeof source === "string" ? { titleSource: source } : {}) };
}

/** Adds the fields that pi's form has beside what oh-my-pi wrote, and takes nothing away. */
export function readOhMyPi(record: JsonObject): JsonObject {
  return withModel(withHook(record));
}

function withHook(record: JsonObject): JsonObject {
  const { type, fromExtension, fromHook } = record;
  if (type !== "compaction" && type !== "branch_summary") return record;
  if (typeof fromExtension !== "boolean" || fromHook !== undefined) return record;
  return { ...record, fromHook: fromExtension };
}

function withModel(record: JsonObject): JsonObject {
  const { type, model, modelId } = record;
  if (type !== "model_change" || typeof model !== "string" || modelId !== undefined) return record;
  const slash = model.indexOf("/");
  const provider = slash === -1 ? "unknown" : model.slice(0, slash);
  return { ...record, provider, modelId: model.slice(slash + 1) };
}
