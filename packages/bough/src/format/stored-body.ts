import { isJsonObject, type JsonObject } from "../entry/json.ts";

/** What a body must have for anything to be made of the entry. More is asked of what is written (`validateEntry`). */
const essentials: ReadonlyMap<string, (record: JsonObject) => boolean> = new Map([
  ["message", ({ message }) => isJsonObject(message) && typeof message.role === "string"],
  ["compaction", ({ summary }) => typeof summary === "string"],
  ["branch_summary", ({ summary }) => typeof summary === "string"],
  ["custom", ({ customType }) => typeof customType === "string"],
  ["custom_message", ({ customType }) => typeof customType === "string"],
  ["model_change", ({ provider, modelId }) => typeof provider === "string" && typeof modelId === "string"],
  ["active_tools_change", ({ activeToolNames }) => isStrings(activeToolNames)],
  ["ttsr_injection", ({ injectedRules }) => isStrings(injectedRules)],
  ["context_edit", ({ targetId }) => typeof targetId === "string"],
  ["label", ({ targetId }) => typeof targetId === "string"],
  ["leaf", ({ targetId }) => typeof targetId === "string" || targetId === null],
] satisfies [string, (record: JsonObject) => boolean][]);

export function hasUsableBody(record: JsonObject & { readonly type: string }): boolean {
  return essentials.get(record.type)?.(record) ?? true;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
