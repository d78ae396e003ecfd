import type { ModelRef, SessionTreeEntry } from "../entry/entry.ts";
import type { ThinkingLevel } from "../entry/message.ts";
import { defineLater, LaterState } from "./later-state.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import {
  activeToolsIn,
  initialState,
  injectedRulesIn,
  modelIn,
  type SessionContextState,
  stateSnapshot,
  thinkingLevelIn,
} from "./state.ts";

/**
 * Folds a whole path. The snapshot of its last compaction, if well-formed, stands for everything above, so that
 * nobody has to read there; a reset hides messages and leaves the state alone.
 */
export function deriveSessionContextState(
  pathEntries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): SessionContextState {
  return stateFoldOf(pathEntries, initialState(options.header)).state();
}

/** The state at the end of a path, ready for what follows; `before` is what its first entry found. */
export function stateFoldOf(pathEntries: readonly SessionTreeEntry[], before: SessionContextState): StateFold {
  const last = pathEntries.findLastIndex((entry) => entry.type === "compaction");
  const snapshot = stateSnapshot(pathEntries[last]);
  const fold = new StateFold(snapshot ?? before);
  for (const entry of snapshot ? pathEntries.slice(last + 1) : pathEntries) fold.add(entry);
  return fold;
}

/** What entries say about the state in force, one after the other. */
export class StateFold {
  readonly #before: SessionContextState;
  #model: ModelRef | undefined;
  #thinkingLevel: ThinkingLevel | undefined;
  #activeToolNames: readonly string[] | undefined;
  readonly #rules = new Set<string>();

  constructor(before: SessionContextState) {
    this.#before = before;
  }

  add(entry: SessionTreeEntry): void {
    this.#model = modelIn(entry) ?? this.#model;
    this.#thinkingLevel = thinkingLevelIn(entry) ?? this.#thinkingLevel;
    this.#activeToolNames = activeToolsIn(entry) ?? this.#activeToolNames;
    for (const rule of injectedRulesIn(entry) ?? []) this.#rules.add(rule);
  }

  state(): SessionContextState {
    return this.addTo({});
  }

  /**
   * Gives an object the state as it is now. What only a `LaterState` before can tell becomes a member that is looked for
   * when it is read.
   */
  addTo<Target extends object>(target: Target): Target & SessionContextState {
    const before = this.#before;
    const said: SaidState = {
      model: this.#model,
      thinkingLevel: this.#thinkingLevel,
      activeToolNames: this.#activeToolNames,
      injectedRules: undefined,
      rules: [...this.#rules],
    };
    const isLater = before instanceof LaterState;
    const result = target as Record<string, unknown>;
    for (const piece of statePieces) {
      if (isLater && said[piece] === undefined) defineLater(target, piece, () => pieceOf[piece](said, before));
      else result[piece] = pieceOf[piece](said, before);
    }
    return target as Target & SessionContextState;
  }
}

/** What was said by some moment. */
interface SaidState {
  readonly model: ModelRef | undefined;
  readonly thinkingLevel: ThinkingLevel | undefined;
  readonly activeToolNames: readonly string[] | undefined;
  /** Some may have been injected before. */
  readonly injectedRules: undefined;
  readonly rules: readonly string[];
}

/** Arrays and objects are the caller's. */
const pieceOf: {
  readonly [Piece in keyof SessionContextState]: (
    said: SaidState,
    before: SessionContextState,
  ) => SessionContextState[Piece];
} = {
  model: (said, before) => copyOf(said.model ?? before.model),
  thinkingLevel: (said, before) => said.thinkingLevel ?? before.thinkingLevel,
  activeToolNames: (said, before) => said.activeToolNames?.slice() ?? before.activeToolNames?.slice() ?? null,
  injectedRules: (said, before) => [...new Set([...before.injectedRules, ...said.rules])],
};

const statePieces = ["model", "thinkingLevel", "activeToolNames", "injectedRules"] as const;

function copyOf(model: ModelRef | null): ModelRef | null {
  return model && { provider: model.provider, modelId: model.modelId };
}
