import type { SessionTreeEntry } from "bough";

/** A move in the tree that is about to be made, as those see it who may refuse or change it. */
export interface TreePreparation {
  readonly targetId: string;
  readonly oldLeafId: string | null;
  /** The deepest entry that lies on the paths to both. */
  readonly commonAncestorId: string | null;
  /** What is left behind, from below the common ancestor to the old leaf. */
  readonly entriesToSummarize: readonly SessionTreeEntry[];
  readonly userWantsSummary: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}
