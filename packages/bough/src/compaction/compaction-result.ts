import type { AgentMessage } from "../entry/message.ts";
import type { Usage } from "../entry/usage.ts";

/** What a compaction comes to, before it is stored as an entry. */
export interface CompactionResult<TDetails = unknown> {
  readonly summary: string;
  /** First entry that is kept verbatim. */
  readonly firstKeptEntryId?: string;
  readonly tokensBefore: number;
  readonly details?: TDetails;
  readonly usage?: Usage;
  readonly retainedTail?: readonly AgentMessage[];
  readonly preserveData?: unknown;
}
