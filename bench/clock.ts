import { readFileSync } from "node:fs";

/** Milliseconds, with what `work` returned. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const begin = performance.now();
  const pending = work();
  const result = pending instanceof Promise ? await pending : pending;
  return { ms: performance.now() - begin, result };
}

/** The most memory this process ever held, in MB. */
export function peakMemory(): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >>> 1;
  const [low, high] = [sorted[(sorted.length - 1) >>> 1], sorted[middle]];
  return ((low as number) + (high as number)) / 2;
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}
