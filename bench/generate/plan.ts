export type ShapeName = "pi" | "bough";

/** A session to be written. Equal plans give equal bytes. */
export interface SessionPlan {
  readonly entries: number;
  readonly seed: number;
  readonly shape?: ShapeName;
  readonly cwd?: string;
  /** Milliseconds since 1970. */
  readonly begin?: number;
  /** `false`: the context is everything that was ever said. */
  readonly isCompacted?: boolean;
  /** `false`: the thinking level is set once, in the second entry. */
  readonly changesLevel?: boolean;
}

/** A folder of sessions of log-normal size. */
export interface FolderPlan {
  readonly sessions: number;
  readonly seed: number;
  /** Of a middling session. */
  readonly entries?: number;
}
