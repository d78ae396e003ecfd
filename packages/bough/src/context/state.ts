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

export function injectedRulesIn(entry: SessionTreeEntry): readonly string[] | undefined {
  const rules: unknown = entry.type === "ttsr_injection" ? entry.injectedRules : undefined;
  return isStrings(rules) ? rules : undefined;
}

export function isDefaultRole(role: string | null | undefined): boolean {
  return role === undefined || role === null || role === "default";
}

/** What is in force before the first entry. */
export function initialState(header: SessionContextBuildOptions["header"]): SessionContextState {
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
