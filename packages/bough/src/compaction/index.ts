export {
  type BranchBudget,
  type BranchEntries,
  type BranchPreparation,
  type BranchSummaryOptions,
  collectEntriesForBranchSummary,
  generateBranchSummary,
  prepareBranchEntries,
} from "./branch-summary.ts";
export {
  type CompactionDetails,
  type CompactionDraft,
  commitCompaction,
  type PathSpan,
  validateCompaction,
} from "./commit-compaction.ts";
export { type Compacted, type CompactOptions, compact, type PlanOptions, planCompaction } from "./compact.ts";
export {
  type CompactionPolicy,
  type CompactionSettings,
  compactionSettings,
  defaultCompactionSettings,
  shouldCompact,
} from "./compaction-policy.ts";
export type { CompactionResult } from "./compaction-result.ts";
export {
  type ContextTokenOptions,
  type ContextTokens,
  type ContextUsage,
  contextTokens,
  getContextUsage,
} from "./context-usage.ts";
export { type ConversationTextOptions, serializeConversation } from "./conversation-text.ts";
export type { Keep } from "./cut-point.ts";
export { droppedEntries } from "./dropped-entries.ts";
export { extractiveSummarizer } from "./extractive-summarizer.ts";
export type { FileOperations } from "./file-operations.ts";
export { type GeneratedSummary, generateSummary, type SummaryOptions } from "./generate-summary.ts";
export { type ModelSummarizerOptions, modelSummarizer } from "./model-summarizer.ts";
export { type CompactionPreparation, type PrepareOptions, prepareCompaction } from "./prepare-compaction.ts";
export type { Summarizer, SummaryModel, SummaryPrompt, SummaryReply, SummaryRequest } from "./summarizer.ts";
export { type SummaryPromptOptions, summaryPrompts } from "./summary-prompt.ts";
export { estimateTokens, type TokenEstimator } from "./token-estimate.ts";
export { replyFault, summaryFault } from "./verify-summary.ts";
