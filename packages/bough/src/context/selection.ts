import type { Diagnostic } from "../entry/diagnostic.ts";
import type { CompactionEntry, SessionTreeEntry } from "../entry/entry.ts";
import { storedText } from "../entry/stored-text.ts";

/** What of a path the model is to see: the part after its last compaction or reset, and what the compaction kept. */
export interface Selection {
  readonly compaction?: CompactionEntry;
  /** Never holds a compaction, a reset or a system message. */
  readonly kept: readonly SessionTreeEntry[];
  readonly after: readonly SessionTreeEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The last compaction or reset decides alone; whatever stands above what it keeps has no influence. */
export function selectEntries(path: readonly SessionTreeEntry[]): Selection {
  const boundary = path.findLastIndex(isBoundary);
  const after = path.slice(boundary + 1);
  const compaction = path[boundary];
  if (compaction?.type !== "compaction") return { kept: [], after, diagnostics: [] };
  const firstKeptId = keepPointer(compaction);
  if (firstKeptId === undefined) return { compaction, kept: [], after, diagnostics: [] };
  const first = indexBefore(path, boundary, firstKeptId);
  if (first === -1) return { compaction, kept: [], after, diagnostics: [unknownFirstKept(compaction)] };
  const reset = path.findLastIndex((entry, index) => index < boundary && entry.type === "reset_boundary");
  const kept = path.slice(Math.max(first, reset + 1), boundary).filter(isKept);
  return { compaction, kept, after, diagnostics: [] };
}

/** `[compaction?, kept…, after…]` as the context orders them. */
export function defaultContextEntryTransform(pathEntries: readonly SessionTreeEntry[]): readonly SessionTreeEntry[] {
  const { compaction, kept, after } = selectEntries(pathEntries);
  return compaction ? [compaction, ...kept, ...after] : after;
}

export function isBoundary(entry: { readonly type: string }): boolean {
  return entry.type === "compaction" || entry.type === "reset_boundary";
}

/** The first entry that a compaction keeps of its path; undefined if it keeps nothing of it. */
export function keepPointer(compaction: CompactionEntry): string | undefined {
  const { firstKeptEntryId, id } = compaction;
  if (Array.isArray(compaction.retainedTail) || firstKeptEntryId === id) return undefined;
  return firstKeptEntryId || undefined;
}

/** The index of `id` among the first `end` entries of a path, or -1. */
function indexBefore(path: readonly { readonly id: string }[], end: number, id: string): number {
  for (let index = end - 1; index >= 0; index--) if (path[index]?.id === id) return index;
  return -1;
}

function isKept(entry: SessionTreeEntry): boolean {
  return entry.type !== "compaction" && !(entry.type === "message" && entry.message?.role === "system");
}

export function unknownFirstKept(compaction: CompactionEntry): Diagnostic {
  return {
    code: "unknown_first_kept",
    entryId: compaction.id,
    message: `compaction ${compaction.id} keeps from ${storedText(compaction.firstKeptEntryId)}, which is not above it; nothing is kept`,
  };
}
