export const CURRENT_SESSION_VERSION = 3;

/** An application's own data about a session: any JSON object. */
export type SessionMetadata = Readonly<Record<string, unknown>>;

/** The first record of a session. No node of the tree, written once. Unknown fields survive. */
export interface SessionHeader<TMetadata extends SessionMetadata = SessionMetadata> {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The working directory as it was written: data, never needed to read a session. */
  readonly cwd: string;
  /** Path of the session this one was forked from. */
  readonly parentSession?: string;
  readonly parentSessionId?: string;
  /** How many entries at the start of the log were copied from the parent; their usage is not this session's own. */
  readonly inheritedEntries?: number;
  readonly metadata?: TMetadata;
  /** State before the first entry, as v1 headers hold it. */
  readonly provider?: string;
  readonly modelId?: string;
  readonly thinkingLevel?: string;
  /** oh-my-pi's name for the session. */
  readonly title?: string;
}

const sessionIdPattern = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Ids that callers choose become part of file names: letters, digits, `.`, `_`, `-`, at most 200 characters. */
export function isSessionId(id: string): boolean {
  return id.length <= 200 && sessionIdPattern.test(id);
}
