import type { Worker } from "node:worker_threads";
import type { Place } from "./matching.ts";
import type { Condition, Query } from "./query.ts";

export interface Patterns {
  readonly wanted: readonly RegExp[];
  readonly unwanted: readonly RegExp[];
}

/** Undefined if one of them is no pattern. */
export function patternsOf({ all, none }: Query): Patterns | undefined {
  const [wanted, unwanted] = [compiled(all), compiled(none)];
  return wanted && unwanted && { wanted, unwanted };
}

function compiled(conditions: readonly Condition[]): RegExp[] | undefined {
  const patterns: RegExp[] = [];
  for (const condition of conditions) {
    if (condition.kind !== "pattern") continue;
    const pattern = regExp(condition.source, "iu") ?? regExp(condition.source, "i");
    if (!pattern) return undefined;
    patterns.push(pattern);
  }
  return patterns;
}

function regExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** Patterns in a thread of their own, for so many milliseconds altogether. Dispose it. */
export class PatternSearch implements AsyncDisposable {
  readonly #worker: Worker;
  /** Resolves when the time is over; rejects if the thread fails. */
  readonly #end: Promise<undefined>;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(patterns: Patterns, budget: number) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const file = new URL(`./pattern-worker.${extension}`, import.meta.url);
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    this.#worker = new Worker(file, { workerData: patterns, execArgv: [] });
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.#end = promise;
    this.#worker.once("error", reject);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      resolve(undefined);
    }, budget);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Where in each text the patterns fit, if they do; undefined once the time is over. */
  async places(texts: readonly string[]): Promise<readonly (Place | undefined)[] | undefined> {
    if (this.#isOver) return undefined;
    return await Promise.race([this.#ask(texts), this.#end]);
  }

  #ask(texts: readonly string[]): Promise<readonly (Place | undefined)[]> {
    return new Promise((resolve) => {
      this.#worker.once("message", resolve);
      this.#worker.postMessage(texts);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }
}
