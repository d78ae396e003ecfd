import type { CompactionEntry } from "../entry/entry.ts";
import type { SessionMetadata } from "../entry/header.ts";
import { kindOf } from "../entry/kind.ts";
import { CompactionError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { type CompactionDraft, commitCompaction } from "./commit-compaction.ts";
import { generateSummary, type SummaryOptions } from "./generate-summary.ts";
import { type CompactionPreparation, type PrepareOptions, prepareCompaction } from "./prepare-compaction.ts";

export interface PlanOptions extends Omit<PrepareOptions, "context"> {}

export interface CompactOptions extends PlanOptions, SummaryOptions {
  /** Brings what is to be stored, instead of `generateSummary`. */
  readonly propose?: (preparation: CompactionPreparation) => Promise<CompactionDraft>;
}

export interface Compacted {
  /** As it is stored. */
  readonly entry: CompactionEntry;
  readonly preparation: CompactionPreparation;
}

/**
 * Summarises the start of the context at the leaf and stores the summary as one entry there; the entries it stands for
 * stay, and moving above it undoes it. Reads the active part of the path only.
 *
 * Nothing is written, and everything stays as it was, if it rejects: with `nothing_to_compact`; with `compaction` if
 * the summary can't be made, is unfit, or doesn't make the context smaller; with `leaf_moved` if the conversation went on
 * meanwhile, here or in another process; with `signal.reason`; with what appending rejects with.
 */
export async function compact<TMetadata extends SessionMetadata>(
  session: Session<TMetadata>,
  options: CompactOptions = {},
): Promise<Compacted> {
  options.signal?.throwIfAborted();
  const { host } = session.storage;
  const seen = host.foreign.length;
  const preparation = await planCompaction(session, options);
  const { propose = (planned) => generateSummary(planned, options) } = options;
  const draft = await propose(preparation);
  await host.refresh();
  const successor = host.foreign.slice(seen).find((head) => head.parentId === preparation.leafId && isOnPaths(head));
  if (successor) throw continued(preparation.leafId, successor.id);
  options.signal?.throwIfAborted();
  return { entry: await commitCompaction(session, preparation, draft, options), preparation };
}

/** What `compact` would do at the leaf. Rejects with `nothing_to_compact`. */
export async function planCompaction<TMetadata extends SessionMetadata>(
  session: Session<TMetadata>,
  options: PlanOptions = {},
): Promise<CompactionPreparation> {
  const path = await session.getActivePath();
  const preparation = prepareCompaction(path, { ...options, context: session.contextBuildOptions });
  if (preparation) return preparation;
  const reason = path.length === 0 ? "empty" : path.at(-1)?.type === "compaction" ? "already_compacted" : "all_kept";
  throw new CompactionError("nothing_to_compact", messages[reason], { reason });
}

const messages = {
  empty: "the session holds no conversation",
  already_compacted: "the conversation was compacted here already",
  all_kept: "all of the context would be kept",
};

function isOnPaths(head: { readonly type: string; readonly customType?: string }): boolean {
  return kindOf(head) !== "mark";
}

function continued(expected: string, actual: string): CompactionError<"leaf_moved"> {
  return new CompactionError("leaf_moved", `another process went on from ${expected}`, { expected, actual });
}
