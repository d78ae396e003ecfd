import type { Diagnostic } from "../entry/diagnostic.ts";
import type { DamagedEntry, SessionTreeEntry } from "../entry/entry.ts";
import { frozen } from "../entry/frozen.ts";
import type { AgentMessage } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { applyEdits, contextEdits } from "./edits.ts";
import { sessionEntryToContextMessages } from "./entry-messages.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { isBoundary, type Selection, selectEntries } from "./selection.ts";
import type { SessionContextResult } from "./session-context.ts";
import { initialState, type SessionContextState } from "./state.ts";
import { type StateFold, stateFoldOf } from "./state-fold.ts";
import { PromptFold } from "./system-prompt.ts";

/** Entries of a path that decide its context. */
export interface ContextPath {
  readonly entries: readonly SessionTreeEntry[];
  /** Why the path begins where it does. */
  readonly cut?: Diagnostic | undefined;
  /** The state above them, if they don't tell all of it. */
  readonly before?: SessionContextState | undefined;
}

/** The context at the end of a path. Where the path goes on, what was made of it stays, and what is new is added. */
export class GrowingContext {
  readonly #messages: AgentMessage[] = [];
  readonly #diagnostics: Diagnostic[];
  readonly #prompt = new PromptFold();
  readonly #state: StateFold;
  #frozen = 0;

  constructor({ entries, cut, before }: ContextPath, options: SessionContextBuildOptions = {}) {
    const selection = selectEntries(entries);
    this.#diagnostics = [...(cut ? [cut] : []), ...selection.diagnostics];
    const projected = entriesOf(selection, options);
    for (const [index, entry] of projected.entries()) {
      this.#project(entry, sessionEntryToContextMessages(entry, index, projected, options));
    }
    this.#state = stateFoldOf(entries, before ?? initialState(options.header));
  }

  /** Takes the entry that follows. For contexts that `canGrow` under their options, and entries that `onlyAdds` is true of. */
  add(entry: SessionTreeEntry): void {
    this.#project(entry, sessionEntryToContextMessages(entry, 0, [entry]));
    this.#state.add(entry);
  }

  /** Freezes what was made of entries that are frozen themselves, so that results can share it. */
  freeze(): this {
    for (; this.#frozen < this.#messages.length; this.#frozen++) {
      const message = this.#messages[this.#frozen];
      if (!Object.isFrozen(message)) frozen(message);
    }
    return this;
  }

  /** The arrays are the caller's. */
  result(given?: string): SessionContextResult {
    const systemPrompt = given ?? this.#prompt.text;
    const messages = this.#messages.slice();
    const said = systemPrompt === undefined ? { messages } : { systemPrompt, messages };
    return { context: this.#state.addTo(said), diagnostics: this.#diagnostics.slice() };
  }

  #project(entry: SessionTreeEntry, messages: readonly AgentMessage[]): void {
    for (const message of messages) {
      this.#messages.push(message);
      this.#prompt.add(message);
      for (const blob of unresolvedBlobs(message)) this.#diagnostics.push(missingBlob(entry, blob));
    }
    if (entry.type === "damaged") this.#diagnostics.push(damagedEntry(entry));
  }
}

/** Whether the context above an entry stays as it is: compactions, resets and edits change what was said before. */
export function onlyAdds(entry: { readonly type: string }): boolean {
  return !isBoundary(entry) && entry.type !== "context_edit";
}

/** Whether what an entry contributes depends on it alone, and not on what a caller makes of all of them. */
export function canGrow({ entryTransforms = [], entryProjectors = {}, header }: SessionContextBuildOptions): boolean {
  return entryTransforms.length === 0 && Object.keys(entryProjectors).length === 0 && header === undefined;
}

/** What a selection comes to: transforms, then edits. */
export function entriesOf(selection: Selection, options: SessionContextBuildOptions): readonly SessionTreeEntry[] {
  const { compaction, kept, after } = selection;
  let entries: readonly SessionTreeEntry[] = compaction ? [compaction, ...kept, ...after] : after;
  for (const transform of options.entryTransforms ?? []) entries = transform(entries);
  return applyEdits(entries, contextEdits([...kept, ...after]));
}

function unresolvedBlobs(message: AgentMessage): readonly string[] {
  const content: unknown = "content" in message ? message.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.filter(isUnresolved).map(({ data }) => data);
}

function isUnresolved(block: { readonly type?: unknown; readonly data?: unknown } | null): boolean {
  return block?.type === "image" && typeof block.data === "string" && block.data.startsWith("blob:");
}

function missingBlob({ id }: SessionTreeEntry, blob: string): Diagnostic {
  return { code: "missing_blob", entryId: id, message: `${id} shows an image that is not there: ${blob}` };
}

function damagedEntry({ id, originalType }: DamagedEntry): Diagnostic {
  const message = `${id}, once a ${storedText(originalType)}, can't be read and contributes nothing`;
  return { code: "damaged_entry", entryId: id, message };
}
