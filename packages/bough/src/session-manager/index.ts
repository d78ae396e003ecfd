export type { FileSystem } from "../storage/files/file-system.ts";
export type { FileEntry } from "./given-entries.ts";
export type { ListedSession, ListProgress } from "./listed-session.ts";
export { readOnlyManagerOf } from "./manager-of-session.ts";
export type { ManagerOptions, NewSessionOptions } from "./placing.ts";
export { ReadonlySessionManager, type UsageStatistics } from "./readonly-session-manager.ts";
export { SessionManager } from "./session-manager.ts";
