export {
  buildContextEntries,
  buildSessionContext,
  contextOf,
} from "./context.ts";
export { isEditable } from "./edits.ts";
export {
  createBranchSummaryMessage,
  createCompactionSummaryMessage,
  createCustomMessage,
  sessionEntryToContextMessages,
} from "./entry-messages.ts";
export { type ConversationMessage, convertToLlm, type LlmMessageOptions, toLlmMessages } from "./llm-messages.ts";
export {
  type ContextEntryTransform,
  type CustomEntryProjector,
  mergeContextOptions,
  type SessionContextBuildOptions,
} from "./options.ts";
export { getPathEntries, type PathOptions } from "./path-entries.ts";
export { defaultContextEntryTransform } from "./selection.ts";
export type { SessionContext, SessionContextResult } from "./session-context.ts";
export { type SessionContextState, sameState, stateMismatch, stateSnapshot } from "./state.ts";
export { deriveSessionContextState } from "./state-fold.ts";
export { joinedSystemMessage, replaySystemPrompt } from "./system-prompt.ts";
