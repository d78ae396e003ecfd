import type { DiagnosticCode } from "../entry/diagnostic.ts";
import type { SessionInfo } from "../session/session-store.ts";
import type { Leaf } from "../tree/session-tree.ts";
import type { UsageTotals } from "../tree/statistics.ts";

/** A session as a catalog knows it. */
export interface CatalogSession extends SessionInfo {
  /** Name of the source it is from. */
  readonly source: string;
  readonly leafId: Leaf;
  readonly entryCount: number;
  /** `provider/model` of every reply, in order of their first. */
  readonly models: readonly string[];
  /** Over all branches; what was copied from the session it was forked from included. */
  readonly usage: UsageTotals;
  readonly own: UsageTotals;
  readonly inherited: UsageTotals;
  readonly unknownReplies: number;
  /** How often each kind of damage was met while reading; what only the whole tree shows is not among it. */
  readonly damage: Readonly<Partial<Record<DiagnosticCode, number>>>;
}

export interface ListedCatalogSession extends CatalogSession {
  /** How many of the sessions it was forked from stand above it, where forks are sorted so. */
  readonly depth: number;
}
