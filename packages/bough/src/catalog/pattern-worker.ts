import { parentPort, workerData } from "node:worker_threads";
import type { Place } from "./matching.ts";
import { PatternAnswers, type PatternTask } from "./pattern-answers.ts";

/** Tries patterns on texts, away from the thread that must not hang when one of them takes for ever. */

const { wanted, unwanted } = workerData as { readonly wanted: readonly RegExp[]; readonly unwanted: readonly RegExp[] };

parentPort?.on("message", ({ texts, from, memory }: PatternTask) => {
  const answers = new PatternAnswers(memory);
  for (let index = from; index < texts.length; index++) answer(answers, index, texts[index] as string);
  parentPort?.postMessage("done");
});

/** A text that is too long for a pattern, which has a stack of its own, gets no answer. */
function answer(answers: PatternAnswers, index: number, text: string): void {
  answers.begin(index);
  try {
    answers.put(index, placeIn(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Of the first of the wanted patterns, if all of them fit and no unwanted one does. */
function placeIn(text: string): Place | undefined {
  if (unwanted.some((pattern) => pattern.test(text))) return undefined;
  const found = wanted.map((pattern) => pattern.exec(text));
  if (found.includes(null)) return undefined;
  const first = found[0];
  return first ? { start: first.index, end: first.index + first[0].length } : { start: 0, end: 0 };
}
