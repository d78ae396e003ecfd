/**
 * `conversation` and `state` entries make up paths; a `mark` says something about the session or another entry and is
 * no part of a conversation; `unknown` types keep their place and contribute nothing.
 */
export type EntryKind = "conversation" | "state" | "mark" | "unknown";

const kinds: ReadonlyMap<string, EntryKind> = new Map([
  ["message", "conversation"],
  ["compaction", "conversation"],
  ["branch_summary", "conversation"],
  ["custom_message", "conversation"],
  ["custom", "state"],
  ["model_change", "state"],
  ["thinking_level_change", "state"],
  ["active_tools_change", "state"],
  ["context_edit", "state"],
  ["session_init", "state"],
  ["ttsr_injection", "state"],
  ["reset_boundary", "state"],
  ["label", "mark"],
  ["session_info", "mark"],
  ["leaf", "mark"],
  ["usage", "mark"],
  ["model_usage", "mark"],
  ["title_change", "mark"],
  ["credential_pin", "mark"],
]);

const markedCustomTypes: ReadonlySet<string> = new Set(["tool_execution_start", "session_exit"]);
const reservedPrefix = "bough.";

export function kindOf(entry: { readonly type: string; readonly customType?: string }): EntryKind {
  if (entry.type === "custom" && entry.customType !== undefined && isMarkType(entry.customType)) return "mark";
  return kinds.get(entry.type) ?? "unknown";
}

/** Whether a `context_edit` may name it: what users, models and tools said, but no system message and no summary. */
export function isEditableRole(type: string, role: string | undefined): boolean {
  return type === "custom_message" || (type === "message" && editableRoles.has(role ?? ""));
}

const editableRoles: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** Custom types that are bough's own; callers may not append them. */
export function isReservedCustomType(customType: string): boolean {
  return customType.startsWith(reservedPrefix);
}

export function reservedCustomType(name: string): string {
  return reservedPrefix + name;
}

function isMarkType(customType: string): boolean {
  return isReservedCustomType(customType) || markedCustomTypes.has(customType);
}
