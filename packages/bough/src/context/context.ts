import type { SessionTreeEntry } from "../entry/entry.ts";
import { type ContextPath, entriesOf, GrowingContext } from "./growing-context.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { selectEntries } from "./selection.ts";
import type { SessionContext, SessionContextResult } from "./session-context.ts";

/** A pure function of the path and the options: equal entries give an equal context, wherever they are kept. */
export function buildSessionContext(
  pathEntries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): SessionContext {
  return contextOf({ entries: pathEntries }, options).context;
}

/** The entries that are projected, in context order: compaction applied, then transforms, then edits. */
export function buildContextEntries(
  pathEntries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): readonly SessionTreeEntry[] {
  return entriesOf(selectEntries(pathEntries), options);
}

/** `buildSessionContext` with what it met. */
export function contextOf(path: ContextPath, options: SessionContextBuildOptions = {}): SessionContextResult {
  return new GrowingContext(path, options).result(options.systemPrompt);
}
