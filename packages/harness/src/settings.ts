import { isDeepStrictEqual } from "node:util";
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
  /** Tells of the items, once they are stored. */
  readonly tell?: () => Promise<void>;
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
  #pending: readonly Change[] = [];
  #unsaid: readonly EntryDraft[];

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
    this.#unsaid = unsaid;
  }

  get values(): SettingValues {
    return this.#values;
  }

  /** What will be in force when all that was asked for is stored. */
  get wanted(): SettingValues {
    return Object.assign({}, this.#values, ...this.#pending.map(({ values }) => values)) as SettingValues;
  }

  get activeTools(): readonly HarnessTool[] {
    return toolsNamed(this.#values.tools, this.#values.activeToolNames);
  }

  async setModel(model: Model<Api>): Promise<void> {
    const ref = modelRef(model) as ModelRef;
    const draft: EntryDraft = { type: "model_change", ...ref, model: `${ref.provider}/${ref.modelId}` };
    await this.change({ items: [child(draft)], values: { model } });
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    const draft: EntryDraft = { type: "thinking_level_change", thinkingLevel: level };
    await this.change({ items: [child(draft)], values: { thinkingLevel: level } });
  }

  async setTools(tools: readonly HarnessTool[], activeToolNames: readonly string[]): Promise<void> {
    requireDistinct(
      tools.map(({ name }) => name),
      "the tool",
    );
    requireActive({ tools, activeToolNames });
    const same = isDeepStrictEqual(activeToolNames, this.wanted.activeToolNames);
    const draft: EntryDraft = { type: "active_tools_change", activeToolNames };
    await this.change({ items: same ? [] : [child(draft)], values: { tools, activeToolNames } });
  }

  /** What another place of the tree says; `unsaid` as for the constructor. */
  async restore(values: SettingValues, unsaid: readonly EntryDraft[]): Promise<void> {
    this.#unsaid = unsaid;
    await this.#take(values, "restore");
  }

  /** Also for what is no setting and must not come between a call and its result. */
  async change(change: Change): Promise<void> {
    if (this.#activity.phase === "idle") await this.#apply(change);
    else this.#pending = [...this.#pending, change];
  }

  /** What is in force as the session is to say it, then as `settle`. */
  async flush(): Promise<boolean> {
    const unsaid = this.#unsaid;
    if (unsaid.length > 0) await this.#session.appendBatch(unsaid.map(child));
    this.#unsaid = [];
    return (await this.settle()) || unsaid.length > 0;
  }

  /** Stores what was asked for meanwhile, in that order. Resolves with whether there was anything. */
  async settle(): Promise<boolean> {
    const had = this.#pending.length > 0;
    for (let [next] = this.#pending; next; [next] = this.#pending) {
      this.#pending = this.#pending.slice(1);
      try {
        await this.#apply(next);
      } catch (error) {
        this.#pending = [next, ...this.#pending];
        throw error;
      }
    }
    return had;
  }

  async #apply({ items, values, tell }: Change): Promise<void> {
    if (items.length > 0) await this.#session.appendBatch(items);
    const said = new Set(items.map((item) => (item.kind === "child" ? item.draft.type : undefined)));
    this.#unsaid = this.#unsaid.filter(({ type }) => !said.has(type));
    if (values) await this.#take({ ...this.#values, ...values }, "set");
    await tell?.();
  }

  async #take(values: SettingValues, source: "set" | "restore"): Promise<void> {
    const before = this.#values;
    this.#values = values;
    for (const event of updates(before, values, source)) await this.#hooks.emit(event);
  }
}

function* updates(before: SettingValues, now: SettingValues, source: "set" | "restore"): Iterable<HarnessEvent> {
  const model = modelRef(now.model);
  if (model && before.model !== now.model) {
    yield { type: "model_update", model, previousModel: modelRef(before.model), source };
  }
  if (before.thinkingLevel !== now.thinkingLevel) {
    yield { type: "thinking_level_update", level: now.thinkingLevel, previousLevel: before.thinkingLevel };
  }
  if (before.tools === now.tools && before.activeToolNames === now.activeToolNames) return;
  yield {
    type: "tools_update",
    toolNames: now.tools.map(({ name }) => name),
    previousToolNames: before.tools.map(({ name }) => name),
    activeToolNames: now.activeToolNames,
    previousActiveToolNames: before.activeToolNames,
    source,
  };
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
