export * from "./compaction/index.ts";
export type {
  ContextEntryTransform,
  CustomEntryProjector,
  SessionContext,
  SessionContextBuildOptions,
  SessionContextResult,
} from "./context/index.ts";
export { assistant, completeMessage, toolResult, user } from "./entry/build.ts";
export type { Diagnostic, DiagnosticCode } from "./entry/diagnostic.ts";
export type * from "./entry/entry.ts";
export { frozen } from "./entry/frozen.ts";
export { type EntryHead, type HeadContent, headOf, type Position } from "./entry/head.ts";
export { CURRENT_SESSION_VERSION, isSessionId, type SessionHeader, type SessionMetadata } from "./entry/header.ts";
export type { Heads } from "./entry/heads.ts";
export { type EntryKind, kindOf } from "./entry/kind.ts";
export type * from "./entry/message.ts";
export type { Usage, UsageCost, UsageFigures } from "./entry/usage.ts";
export { type UuidSource, uuidV7 } from "./entry/uuid.ts";
export { requireChild, validateDraft } from "./entry/validate.ts";
export {
  AgentHarnessError,
  BoughError,
  BranchSummaryError,
  CompactionError,
  type ErrorCode,
  type ErrorDetails,
  isBoughError,
  SessionError,
  type StorageFailure,
  type SummaryFailure,
  type SummaryFault,
} from "./errors.ts";
export type { BatchItem } from "./session/append-request.ts";
export type {
  BranchSummaryInput,
  CompactionInput,
  CustomMessageInput,
  SessionInitInput,
  UsageInput,
} from "./session/appenders.ts";
export { asyncLog } from "./session/async-log.ts";
export type { CheckReport } from "./session/checkup.ts";
export { isSpelledAlike } from "./session/cwd-spelling.ts";
export type { Durability } from "./session/durability.ts";
export type { EntryFactory } from "./session/entry-factory.ts";
export type {
  Appended,
  AppendOutcome,
  Blobs,
  CopiedLines,
  EntryLog,
  EntryRecord,
  LogChange,
  LogView,
  OlderRecords,
  OlderStretch,
  OlderUse,
  ReadUse,
  RecordBatch,
  RecordRun,
  StoredLines,
  Stretch,
  SyncEntryLog,
} from "./session/entry-log.ts";
export { matchSession, type SessionCandidate } from "./session/match-session.ts";
export type { CreateOptions } from "./session/new-header.ts";
export type { ProgressOptions } from "./session/progress.ts";
export type { Branch, EntryCursor, SessionTreeNode } from "./session/queries.ts";
export {
  type ContextOptions,
  type MoveSummary,
  type Refreshed,
  Session,
  type SessionOptions,
} from "./session/session.ts";
export { type HostOptions, SessionHost } from "./session/session-host.ts";
export { type OpenOptions, type RepoListOptions, type RepoOptions, SessionRepo } from "./session/session-repo.ts";
export { type ForkOptions, SessionStorage, type StorageOrigin } from "./session/session-storage.ts";
export type {
  CopySource,
  ListOptions,
  Placement,
  RecordSource,
  SessionInfo,
  SessionListing,
  SessionRef,
  SessionStore,
  StoredSession,
  UnreadableSession,
} from "./session/session-store.ts";
export { SummaryFold, type SummaryState } from "./session/summary-fold.ts";
export type { WatchOptions } from "./session/watch.ts";
export type { Leaf, ReadonlySessionTree } from "./tree/session-tree.ts";
export type { SessionStats, UsageTotals } from "./tree/statistics.ts";
