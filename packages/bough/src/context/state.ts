import type { Diagnostic } from "../entry/diagnostic.ts";
import type { CompactionState, ModelRef, SessionTreeEntry } from "../entry/entry.ts";
import type { ThinkingLevel } from "../entry/message.ts";
import type { SessionContextBuildOptions } from "./options.ts";

/** What is in force at the end of a path. */
export interface SessionContextState {
  /** Of the last assistant message, or of a later change of the default model. */
  readonly model: ModelRef | null;
  readonly thinkingLevel: ThinkingLevel;
  /** Null if the path never chose any. */
  readonly activeToolNames: readonly string[] | null;
  /** In the order of their first injection, each once. */
  readonly injectedRules: readonly string[];
}

/**
 * Folds a whole path. The snapshot of its last compaction, if well-formed, stands for everything above, so that
 * nobody has to read there; a reset hides messages and leaves the state alone.
 */
export function deriveSessionContextState(
  pathEntries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): SessionContextState {
  return stateFoldOf(pathEntries, options).state();
}

/** The state at the end of a path, ready for what follows. */
export function stateFoldOf(pathEntries: readonly SessionTreeEntry[], options: SessionContextBuildOptions): StateFold {
  const last = pathEntries.findLastIndex((entry) => entry.type === "compaction");
  const snapshot = stateSnapshot(pathEntries[last]);
  const fold = new StateFold(snapshot ?? initialState(options.header));
  for (const entry of snapshot ? pathEntries.slice(last + 1) : pathEntries) fold.add(entry);
  return fold;
}

/** `state_mismatch` for every compaction whose snapshot differs from what the path above it says. Needs the whole path. */
export function snapshotMismatches(
  pathEntries: readonly SessionTreeEntry[],
  options: SessionContextBuildOptions = {},
): readonly Diagnostic[] {
  const fold = new StateFold(initialState(options.header));
  const diagnostics: Diagnostic[] = [];
  for (const entry of pathEntries) {
    const snapshot = stateSnapshot(entry);
    if (snapshot && !sameState(snapshot, fold.state())) {
      diagnostics.push(stateMismatch(entry.id));
    }
    fold.add(entry);
  }
  return diagnostics;
}

/** The state that a compaction carries; undefined if there is none or any part of it has the wrong shape. */
export function stateSnapshot(entry: SessionTreeEntry | undefined): CompactionState | undefined {
  const state: unknown = entry?.type === "compaction" ? entry.state : undefined;
  if (typeof state !== "object" || state === null) return undefined;
  const { model, thinkingLevel, activeToolNames, injectedRules } = state as Record<string, unknown>;
  const wellFormed =
    (model === null || isModelRef(model)) &&
    typeof thinkingLevel === "string" &&
    (activeToolNames === null || isStrings(activeToolNames)) &&
    isStrings(injectedRules);
  return wellFormed ? (state as CompactionState) : undefined;
}

/** The model that an entry names, if it names one. A reply whose provider nobody gave says nothing. */
export function modelIn(entry: SessionTreeEntry): ModelRef | undefined {
  if (entry.type === "message") {
    if (entry.message?.role !== "assistant") return undefined;
    const { provider, model: modelId } = entry.message;
    const named = { provider, modelId };
    return isModelRef(named) && provider !== "unknown" ? named : undefined;
  }
  if (entry.type !== "model_change" || !isDefaultRole(entry.role)) return undefined;
  const named = { provider: entry.provider, modelId: entry.modelId };
  return isModelRef(named) ? named : splitModel(entry.model);
}

export function thinkingLevelIn(entry: SessionTreeEntry): ThinkingLevel | undefined {
  const level: unknown = entry.type === "thinking_level_change" ? entry.thinkingLevel : undefined;
  return typeof level === "string" ? level : undefined;
}

export function activeToolsIn(entry: SessionTreeEntry): readonly string[] | undefined {
  const names: unknown = entry.type === "active_tools_change" ? entry.activeToolNames : undefined;
  return isStrings(names) ? names : undefined;
}

export function isDefaultRole(role: string | null | undefined): boolean {
  return role === undefined || role === null || role === "default";
}

/** What entries say about the state in force, one after the other. */
export class StateFold {
  #model: ModelRef | null;
  #thinkingLevel: ThinkingLevel;
  #activeToolNames: readonly string[] | null;
  readonly #rules: Set<string>;

  constructor(start: SessionContextState) {
    this.#model = start.model;
    this.#thinkingLevel = start.thinkingLevel;
    this.#activeToolNames = start.activeToolNames;
    this.#rules = new Set(start.injectedRules);
  }

  add(entry: SessionTreeEntry): void {
    this.#model = modelIn(entry) ?? this.#model;
    this.#thinkingLevel = thinkingLevelIn(entry) ?? this.#thinkingLevel;
    this.#activeToolNames = activeToolsIn(entry) ?? this.#activeToolNames;
    if (entry.type === "ttsr_injection" && isStrings(entry.injectedRules)) {
      for (const rule of entry.injectedRules) this.#rules.add(rule);
    }
  }

  state(): SessionContextState {
    return {
      model: this.#model && { provider: this.#model.provider, modelId: this.#model.modelId },
      thinkingLevel: this.#thinkingLevel,
      activeToolNames: this.#activeToolNames && [...this.#activeToolNames],
      injectedRules: [...this.#rules],
    };
  }
}

function initialState(header: SessionContextBuildOptions["header"]): SessionContextState {
  const named = { provider: header?.provider, modelId: header?.modelId };
  return {
    model: isModelRef(named) ? named : null,
    thinkingLevel: typeof header?.thinkingLevel === "string" ? header.thinkingLevel : "off",
    activeToolNames: null,
    injectedRules: [],
  };
}

function splitModel(model: unknown): ModelRef | undefined {
  const slash = typeof model === "string" ? model.indexOf("/") : -1;
  if (slash < 1) return undefined;
  const named = { provider: (model as string).slice(0, slash), modelId: (model as string).slice(slash + 1) };
  return isModelRef(named) ? named : undefined;
}

function isModelRef(value: unknown): value is ModelRef {
  if (typeof value !== "object" || value === null) return false;
  const { provider, modelId } = value as Record<string, unknown>;
  return typeof provider === "string" && typeof modelId === "string" && provider !== "" && modelId !== "";
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

export function stateMismatch(compactionId: string): Diagnostic {
  const message = `the state that compaction ${compactionId} carries is not the state of the path above it`;
  return { code: "state_mismatch", entryId: compactionId, message };
}

/** Whether two states say the same. */
export function sameState(a: SessionContextState, b: SessionContextState): boolean {
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

function comparable({ model, thinkingLevel, activeToolNames, injectedRules }: SessionContextState): unknown {
  return [model?.provider, model?.modelId, thinkingLevel, activeToolNames, injectedRules];
}
