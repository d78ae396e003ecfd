import type { Diagnostic } from "../entry/diagnostic.ts";
import type { DamagedEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { AgentMessage } from "../entry/message.ts";
import { applyEdits, contextEdits } from "./edits.ts";
import { sessionEntryToContextMessages } from "./entry-messages.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { type Selection, selectEntries } from "./selection.ts";
import { deriveSessionContextState, type SessionContextState } from "./state.ts";
import { replaySystemPrompt } from "./system-prompt.ts";

/** What a model is to be sent at the end of a path, before `toLlmMessages` makes it fit for providers. */
export interface SessionContext extends SessionContextState {
  readonly systemPrompt?: string;
  /** Stored system messages are among them; `systemPrompt` is what they add up to, or the caller's. */
  readonly messages: readonly AgentMessage[];
}

export interface SessionContextResult {
  readonly context: SessionContext;
  /** What was wrong on the part of the path that counts: why it is cut, what is damaged, missing or points nowhere. */
  readonly diagnostics: readonly Diagnostic[];
}

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

/** `buildSessionContext` with what it met; `cut` is why the path begins where it does. */
export function contextOf(
  path: { readonly entries: readonly SessionTreeEntry[]; readonly cut?: Diagnostic },
  options: SessionContextBuildOptions = {},
): SessionContextResult {
  const selection = selectEntries(path.entries);
  const entries = entriesOf(selection, options);
  const messages: AgentMessage[] = [];
  const diagnostics = [...(path.cut ? [path.cut] : []), ...selection.diagnostics];
  for (const [index, entry] of entries.entries()) {
    for (const message of sessionEntryToContextMessages(entry, index, entries, options)) {
      messages.push(message);
      for (const blob of unresolvedBlobs(message)) diagnostics.push(missingBlob(entry, blob));
    }
    if (entry.type === "damaged") diagnostics.push(damagedEntry(entry));
  }
  const systemPrompt = options.systemPrompt ?? replaySystemPrompt(messages);
  return {
    context: {
      ...(systemPrompt !== undefined && { systemPrompt }),
      messages,
      ...deriveSessionContextState(path.entries, options),
    },
    diagnostics,
  };
}

function entriesOf(selection: Selection, options: SessionContextBuildOptions): readonly SessionTreeEntry[] {
  const { compaction, kept, after } = selection;
  let entries: readonly SessionTreeEntry[] = compaction ? [compaction, ...kept, ...after] : after;
  for (const transform of options.entryTransforms ?? []) entries = transform(entries);
  return applyEdits(entries, contextEdits([...kept, ...after]));
}

function* unresolvedBlobs(message: AgentMessage): Iterable<string> {
  const content: unknown = "content" in message ? message.content : undefined;
  if (!Array.isArray(content)) return;
  for (const block of content) {
    if (block?.type === "image" && typeof block.data === "string" && block.data.startsWith("blob:")) yield block.data;
  }
}

function missingBlob({ id }: SessionTreeEntry, blob: string): Diagnostic {
  return { code: "missing_blob", entryId: id, message: `${id} shows an image that is not there: ${blob}` };
}

function damagedEntry({ id, originalType }: DamagedEntry): Diagnostic {
  const message = `${id}, once a ${originalType}, can't be read and contributes nothing`;
  return { code: "damaged_entry", entryId: id, message };
}
