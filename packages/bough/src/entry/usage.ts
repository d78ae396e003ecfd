/** Tokens and US dollars as a provider reported them. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: UsageCost;
}

export interface UsageCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

export const zeroUsage: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

/** What two calls cost together. */
export function addedUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: {
      input: a.cost.input + b.cost.input,
      output: a.cost.output + b.cost.output,
      cacheRead: a.cost.cacheRead + b.cost.cacheRead,
      cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
      total: a.cost.total + b.cost.total,
    },
  };
}

/** What counts of a stored usage, whatever its shape. `cost` is null where no price is known, never 0 for unknown. */
export interface UsageFigures {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number | null;
}

/** Reads stored usage of any origin: fields that are no finite, non-negative number count as absent. */
export function usageFigures(stored: unknown): UsageFigures | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  const usage = stored as Record<string, unknown>;
  const known = isCount(usage.input) || isCount(usage.output) || isCount(usage.cacheRead) || isCount(usage.cacheWrite);
  const price = typeof usage.cost === "object" && usage.cost !== null ? (usage.cost as UsageCost).total : usage.cost;
  if (!known && !isCount(price)) return undefined;
  return {
    input: count(usage.input),
    output: count(usage.output),
    cacheRead: count(usage.cacheRead),
    cacheWrite: count(usage.cacheWrite),
    cost: isCount(price) ? price : null,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function count(value: unknown): number {
  return isCount(value) ? value : 0;
}
