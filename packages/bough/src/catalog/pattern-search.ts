import type { Worker } from "node:worker_threads";
import type { Place } from "./matching.ts";
import { PatternAnswers, type PatternTask } from "./pattern-answers.ts";
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

/** A text that takes so much of the time is given up, for the sake of the others. */
const mostOfOne = 1 / 5;

/** Patterns in a thread of their own, for so many milliseconds altogether. Dispose it. */
export class PatternSearch implements AsyncDisposable {
  readonly #patterns: Patterns;
  readonly #patience: number;
  #worker: Worker | undefined;
  /** In milliseconds. */
  #left: number;

  constructor(patterns: Patterns, budget: number) {
    this.#patterns = patterns;
    this.#patience = budget * mostOfOne;
    this.#left = budget;
  }

  /** There is no time left to try any more. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** In their order, as long as there is time. */
  async try(texts: readonly string[]): Promise<Tried> {
    const answers = new PatternAnswers(texts.length);
    for (let from = 0; from < texts.length && !this.isOver; ) from = await this.#ask(texts, from, answers);
    const found = texts.map((_, text) => answers.at(text));
    return {
      places: found.map((place) => (place === "unfit" ? undefined : place)),
      isPart: found.includes(undefined),
    };
  }

  /** Returns where to go on: behind all, or behind one that takes too long. */
  async #ask(texts: readonly string[], from: number, answers: PatternAnswers): Promise<number> {
    const began = performance.now();
    this.#worker ??= workerWith(this.#patterns);
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const done = () => resolve(texts.length);
    const end = setTimeout(() => {
      this.#left = 0;
      done();
    }, this.#left);
    let last: number | undefined;
    let isStuck = false;
    const watch = setInterval(() => {
      isStuck = last !== undefined && last === answers.current;
      if (isStuck) resolve((last as number) + 1);
      last = answers.current;
    }, this.#patience / 2);
    worker.once("message", done).once("error", reject);
    worker.postMessage({ texts, from, memory: answers.memory } satisfies PatternTask);
    try {
      const next = await promise;
      if (isStuck) await this.#stop();
      return next;
    } finally {
      clearTimeout(end);
      clearInterval(watch);
      worker.off("message", done).off("error", reject);
      this.#left -= performance.now() - began;
    }
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

function workerWith(patterns: Patterns): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const file = new URL(`./pattern-worker.${extension}`, import.meta.url);
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  return new Worker(file, { workerData: patterns, execArgv: [] });
}
