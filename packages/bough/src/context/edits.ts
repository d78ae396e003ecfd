import type { ContextEditEntry, SessionTreeEntry } from "../entry/entry.ts";
import { isEditableRole } from "../entry/kind.ts";

type Replacement = ContextEditEntry["replacement"];

/** Edits by the entry they name: of several the last counts, and one that names no earlier entry says nothing. */
export function contextEdits(path: readonly SessionTreeEntry[]): ReadonlyMap<string, Replacement> {
  const edits = new Map<string, Replacement>();
  if (!path.some((entry) => entry.type === "context_edit")) return edits;
  const earlier = new Set<string>();
  for (const entry of path) {
    if (entry.type === "context_edit" && earlier.has(entry.targetId) && isReplacement(entry.replacement)) {
      edits.set(entry.targetId, entry.replacement);
    }
    earlier.add(entry.id);
  }
  return edits;
}

export function applyEdits(
  entries: readonly SessionTreeEntry[],
  edits: ReadonlyMap<string, Replacement>,
): readonly SessionTreeEntry[] {
  if (edits.size === 0) return entries;
  return entries.flatMap((entry) => {
    const edit = isEditable(entry) ? edits.get(entry.id) : undefined;
    if (edit === undefined) return [entry];
    return edit === null ? [] : [edited(entry, edit.content)];
  });
}

/** As `isEditableRole`, of a whole entry. */
export function isEditable(entry: SessionTreeEntry): boolean {
  return isEditableRole(entry.type, entry.type === "message" ? entry.message?.role : undefined);
}

function edited(entry: SessionTreeEntry, content: unknown): SessionTreeEntry {
  if (entry.type !== "message") return { ...entry, content } as SessionTreeEntry;
  const asBlocks = typeof content === "string" && entry.message.role !== "user";
  const replaced = asBlocks ? [{ type: "text", text: content }] : content;
  return { ...entry, message: { ...entry.message, content: replaced } } as SessionTreeEntry;
}

function isReplacement(value: unknown): value is Replacement {
  return value === null || (typeof value === "object" && "content" in value);
}
