import { canGrow } from "../context/growing-context.ts";
import {
  buildContextEntries,
  buildSessionContext,
  deriveSessionContextState,
  joinedSystemMessage,
  type SessionContextBuildOptions,
  type SessionContextResult,
  type SessionContextState,
} from "../context/index.ts";
import { readStatePath } from "../context/state-path.ts";
import { readActivePath, readContext } from "../context/window.ts";
import type { CustomEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { SystemMessage } from "../entry/message.ts";
import type { Leaf } from "../tree/session-tree.ts";
import { readWithBlobs } from "./blobs.ts";
import { earlierState } from "./earlier-state.ts";
import { type Program, read } from "./program.ts";
import type { SessionState } from "./session-state.ts";

/** Contexts of an open session; they read the bodies of the active window, however long the path is. */

export function* contextAt(
  state: SessionState,
  leaf: Leaf,
  options: SessionContextBuildOptions,
): Program<SessionContextResult> {
  const { header } = state;
  const path = state.readingAscent(leaf);
  const stateBefore = earlierState(state);
  if (canGrow(options)) {
    return yield* state.contexts.at(path, { header, stateBefore, systemPrompt: options.systemPrompt });
  }
  return yield* readContext(path, readWithBlobs, { header, ...options }, stateBefore);
}

/** The entries of the path to `leaf` that its context depends on. */
export function* activePathAt(state: SessionState, leaf: Leaf): Program<readonly SessionTreeEntry[]> {
  return yield* readActivePath(state.readingAscent(leaf), readWithBlobs);
}

export function* contextEntriesAt(
  state: SessionState,
  leaf: Leaf,
  options: SessionContextBuildOptions,
): Program<readonly SessionTreeEntry[]> {
  return buildContextEntries(yield* activePathAt(state, leaf), options);
}

export function* contextStateAt(state: SessionState, leaf: Leaf): Program<SessionContextState> {
  const entries = yield* readStatePath(state.ascent(leaf), read);
  return deriveSessionContextState(entries, { header: state.header });
}

/** What a compaction at `leaf` has to carry, so that nobody has to read above it: state, and what the model was told. */
export function* carriedAt(
  state: SessionState,
  leaf: Leaf,
): Program<{ readonly state: SessionContextState; readonly systemMessage?: SystemMessage }> {
  const entries = yield* readActivePath(state.readingAscent(leaf), read);
  const systemMessage = joinedSystemMessage(buildSessionContext(entries).messages);
  return {
    state: deriveSessionContextState(entries, { header: state.header }),
    ...(systemMessage && { systemMessage }),
  };
}

/** Folds the custom entries of one type on the path to `leaf`, root first; undefined if there are none. */
export function* customStateAt<T>(
  state: SessionState,
  leaf: Leaf,
  customType: string,
  fold: (before: T | undefined, entry: CustomEntry) => T,
): Program<T | undefined> {
  const { heads } = state.ascentWithoutRuns(leaf).whole();
  const entries = yield* state.entries(
    heads.filter((head) => head.type === "custom" && head.customType === customType),
  );
  let folded: T | undefined;
  for (const entry of entries) if (entry.type === "custom") folded = fold(folded, entry);
  return folded;
}
