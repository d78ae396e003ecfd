import type { Api, Model } from "@earendil-works/pi-ai";
import {
  AgentHarnessError,
  type BatchItem,
  type EntryDraft,
  type ModelRef,
  type Session,
  type ThinkingLevel,
} from "bough";
import type { Activity } from "./activity.ts";
import type { HarnessEvent } from "./hooks/events.ts";
import type { Hooks } from "./hooks/hooks.ts";
import { type HarnessTool, requireDistinct, toolsNamed } from "./tools.ts";

export interface SettingValues {
  readonly model: Model<Api> | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly tools: readonly HarnessTool[];
  readonly activeToolNames: readonly string[];
}

interface Change {
  readonly items: readonly BatchItem[];
  readonly values?: Partial<SettingValues>;
  readonly events: () => readonly HarnessEvent[];
}

/**
 * Model, thinking level and tools in force. A change is stored, then takes effect, then is told of: at once while
 * nothing is under way, else at the end of the turn.
 */
export class Settings {
  readonly #session: Session;
  readonly #hooks: Hooks;
  readonly #activity: Activity;
  #values: SettingValues;
  #pending: readonly Change[];

  /** `unsaid`: entries that say what these values are, to be stored with the next turn. */
  constructor(
    parts: { readonly session: Session; readonly hooks: Hooks; readonly activity: Activity },
    values: SettingValues,
    unsaid: readonly EntryDraft[],
  ) {
    requireDistinct(
      values.tools.map(({ name }) => name),
      "the tool",
    );
    requireActive(values);
    this.#session = parts.session;
    this.#hooks = parts.hooks;
    this.#activity = parts.activity;
    this.#values = values;
    this.#pending = unsaid.map((draft) => ({ items: [child(draft)], events: () => [] }));
  }

  get values(): SettingValues {
    return this.#values;
  }

  get activeTools(): readonly HarnessTool[] {
    return toolsNamed(this.#values.tools, this.#values.activeToolNames);
  }

  async setModel(model: Model<Api>): Promise<void> {
    const previousModel = modelRef(this.#values.model);
    const ref = modelRef(model) as ModelRef;
    const draft: EntryDraft = { type: "model_change", ...ref, model: `${ref.provider}/${ref.modelId}` };
    const events = () => [{ type: "model_update", model: ref, previousModel, source: "set" } as const];
    await this.change({ items: [child(draft)], values: { model }, events });
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    const { thinkingLevel: previousLevel } = this.#values;
    const draft: EntryDraft = { type: "thinking_level_change", thinkingLevel: level };
    const events = () => [{ type: "thinking_level_update", level, previousLevel } as const];
    await this.change({ items: [child(draft)], values: { thinkingLevel: level }, events });
  }

  async setTools(tools: readonly HarnessTool[], activeToolNames: readonly string[]): Promise<void> {
    requireDistinct(
      tools.map(({ name }) => name),
      "the tool",
    );
    requireActive({ tools, activeToolNames });
    const before = this.#values;
    const events = () => [
      {
        type: "tools_update",
        toolNames: tools.map(({ name }) => name),
        previousToolNames: before.tools.map(({ name }) => name),
        activeToolNames,
        previousActiveToolNames: before.activeToolNames,
        source: "set",
      } as const,
    ];
    const same = JSON.stringify(activeToolNames) === JSON.stringify(before.activeToolNames);
    const draft: EntryDraft = { type: "active_tools_change", activeToolNames };
    await this.change({ items: same ? [] : [child(draft)], values: { tools, activeToolNames }, events });
  }

  /** Also for what is no setting and must not come between a call and its result. */
  async change(change: Change): Promise<void> {
    if (this.#activity.phase === "idle") await this.#apply(change);
    else this.#pending = [...this.#pending, change];
  }

  /** Stores what was asked for meanwhile, in that order. Resolves with whether there was anything. */
  async flush(): Promise<boolean> {
    const had = this.#pending.length > 0;
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      await this.#apply(next);
      this.#pending = this.#pending.slice(1);
    }
    return had;
  }

  async #apply({ items, values, events }: Change): Promise<void> {
    if (items.length > 0) await this.#session.appendBatch(items);
    this.#values = { ...this.#values, ...values };
    for (const event of events()) await this.#hooks.emit(event);
  }
}

export function modelRef(model: Model<Api> | undefined): ModelRef | null {
  return model ? { provider: model.provider, modelId: model.id } : null;
}

function child(draft: EntryDraft): BatchItem {
  return { kind: "child", draft };
}

function requireActive({ tools, activeToolNames }: Pick<SettingValues, "tools" | "activeToolNames">): void {
  requireDistinct(activeToolNames, "the active tool");
  toolsNamed(tools, activeToolNames);
}

/** The model to ask. Throws `invalid_state` if none is set. */
export function requireModel({ model }: SettingValues): Model<Api> {
  if (model) return model;
  const reason = "no model is set";
  throw new AgentHarnessError("invalid_state", reason, { reason });
}
