import type { Diagnostic } from "../entry/diagnostic.ts";
import type { AgentMessage } from "../entry/message.ts";
import type { SessionContextState } from "./state.ts";

/**
 * What a model is to be sent at the end of a path, before `toLlmMessages` makes it fit for providers.
 *
 * In a context that a stored session gives, state that only entries above a compaction can tell, because the compaction
 * carries none, is looked for when it is first read: such a member is a getter, which throws what reading throws.
 */
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
