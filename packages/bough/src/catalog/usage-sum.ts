import type { UsageFigures } from "../entry/usage.ts";
import type { UsageTotals } from "../tree/statistics.ts";

/** Tokens and price added up, as JSON can hold it. */
export interface UsageSum extends UsageFigures {
  readonly cost: number | null;
}

export const noUsage: UsageSum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null };

export function plus(sum: UsageSum, usage: UsageFigures): UsageSum {
  return {
    input: sum.input + usage.input,
    output: sum.output + usage.output,
    cacheRead: sum.cacheRead + usage.cacheRead,
    cacheWrite: sum.cacheWrite + usage.cacheWrite,
    cost: usage.cost === null ? sum.cost : (sum.cost ?? 0) + usage.cost,
  };
}

export function totalsOf(sum: UsageSum): UsageTotals {
  const { input, output, cacheRead, cacheWrite, cost } = sum;
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite, cost };
}
