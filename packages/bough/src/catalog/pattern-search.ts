import type { Worker } from "node:worker_threads";
import type { Place } from "./matching.ts";
import { PatternAnswers } from "./pattern-answers.ts";
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

export interface Tried {
  /** Where in each text the patterns fit; undefined where they don't, or it is not known. */
  readonly places: readonly (Place | undefined)[];
  /** Of some texts it is not known, for want of time or because they are too long for these patterns. */
  readonly isPart: boolean;
}

/** Patterns in a thread of their own, for so many milliseconds altogether. Dispose it. */
export class PatternSearch implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #failed: Promise<never>;
  /** In milliseconds. */
  #left: number;

  constructor(patterns: Patterns, budget: number) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const file = new URL(`./pattern-worker.${extension}`, import.meta.url);
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    this.#worker = new Worker(file, { workerData: patterns, execArgv: [] });
    this.#failed = new Promise((_, reject) => this.#worker.once("error", reject));
    this.#failed.catch(() => undefined);
    this.#left = budget;
  }

  /** There is no time left to try any more. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** In their order, as long as there is time. */
  async try(texts: readonly string[]): Promise<Tried> {
    const answers = new PatternAnswers(texts.length);
    if (!this.isOver && texts.length > 0) await this.#ask(texts, answers);
    const found = texts.map((_, text) => answers.at(text));
    return {
      places: found.map((place) => (place === "unfit" ? undefined : place)),
      isPart: found.includes(undefined),
    };
  }

  async #ask(texts: readonly string[], { memory }: PatternAnswers): Promise<void> {
    const began = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#left = 0;
      resolve();
    }, this.#left);
    this.#worker.once("message", () => resolve());
    this.#worker.postMessage({ texts, memory });
    try {
      await Promise.race([promise, this.#failed]);
      this.#left -= performance.now() - began;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
