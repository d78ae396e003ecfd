import type { CustomEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import type { AgentMessage } from "../entry/message.ts";

/** Receives what the transforms before it selected, in context order, and returns what is to be projected. */
export type ContextEntryTransform = (entries: readonly SessionTreeEntry[]) => readonly SessionTreeEntry[];

/** Makes messages of a `custom` entry; `entries[index]` is `entry`, after transforms and edits. Nothing returned, nothing sent. */
export type CustomEntryProjector = (
  entry: CustomEntry,
  index: number,
  entries: readonly SessionTreeEntry[],
) => readonly AgentMessage[] | undefined;

export interface SessionContextBuildOptions {
  /** Wins over the prompt that stored system messages add up to. */
  readonly systemPrompt?: string;
  /** Run in order, after compaction was applied and before edits are. */
  readonly entryTransforms?: readonly ContextEntryTransform[];
  /** By `customType`. */
  readonly entryProjectors?: Readonly<Record<string, CustomEntryProjector>>;
  /** The state before the first entry, as headers of format v1 hold it. */
  readonly header?: Pick<SessionHeader, "provider" | "modelId" | "thinkingLevel">;
}

/** The call's transforms run after the session's; of two projectors for one type, or two prompts, the call's counts. */
export function mergeContextOptions(
  session: SessionContextBuildOptions,
  call: SessionContextBuildOptions,
): SessionContextBuildOptions {
  return {
    ...session,
    ...call,
    entryTransforms: [...(session.entryTransforms ?? []), ...(call.entryTransforms ?? [])],
    entryProjectors: { ...session.entryProjectors, ...call.entryProjectors },
  };
}
