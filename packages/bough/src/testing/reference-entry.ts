/** An entry as JSON. */
export type ModelEntry = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
};

/** A mark of a call that is no message. */
export function usageMark(input: number) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
  const usage = { input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input, cost };
  return { type: "usage", kind: "warmup", provider: "acme", model: "large", usage } as const;
}

export function roleOf(entry: ModelEntry): string | undefined {
  return (entry.message as { readonly role?: string } | undefined)?.role;
}

/** Tokens and dollars of entries; null where no price is known. */
export function sumOf(entries: readonly ModelEntry[]) {
  const usages = entries.map(usageOf).filter((usage) => usage !== undefined);
  const add = (field: "input" | "output" | "cacheRead" | "cacheWrite") =>
    usages.reduce((total, usage) => total + usage[field], 0);
  const cost = usages.length === 0 ? null : usages.reduce((total, usage) => total + usage.cost.total, 0);
  const [input, output, cacheRead, cacheWrite] = [add("input"), add("output"), add("cacheRead"), add("cacheWrite")];
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite, cost };
}

interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: { readonly total: number };
}

function usageOf(entry: ModelEntry): ModelUsage | undefined {
  const holder = (entry.message ?? entry) as { readonly usage?: ModelUsage };
  return holder.usage;
}

/** Model, thinking level, tools and rules in force at the end of a path, by the last that says so. */
export function stateOf(path: readonly ModelEntry[]) {
  const last = (says: (entry: ModelEntry) => unknown) => path.map(says).findLast((said) => said !== undefined);
  const rules = path.flatMap((entry) => (entry.type === "ttsr_injection" ? (entry.injectedRules as string[]) : []));
  return {
    model: last(modelNamedBy) ?? null,
    thinkingLevel: last((entry) => (entry.type === "thinking_level_change" ? entry.thinkingLevel : undefined)) ?? "off",
    activeToolNames:
      last((entry) => (entry.type === "active_tools_change" ? entry.activeToolNames : undefined)) ?? null,
    injectedRules: [...new Set(rules)],
  };
}

function modelNamedBy(entry: ModelEntry): unknown {
  const { type, provider, modelId, role = "default", message } = entry;
  if (type === "model_change" && role === "default") return { provider, modelId };
  if (roleOf(entry) !== "assistant") return undefined;
  const { provider: by, model } = message as { readonly provider: string; readonly model: string };
  return { provider: by, modelId: model };
}
