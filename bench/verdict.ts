import { median } from "./clock.ts";
import { type ContenderName, isBough, reference, yardstick } from "./contenders.ts";
import type { Question, Target } from "./question.ts";
import type { Answer, CaseResult } from "./rounds.ts";

/** What one of bough's faces reached of a target, and what the least work does. */
export interface Verdict extends Target {
  readonly contender: ContenderName;
  /** Undefined if it, or the reference, could not be measured. */
  readonly reached: number | undefined;
  readonly standing: "aim" | "gate" | "missed" | "unknown";
}

export function medianOf(answer: Answer | undefined, figure: string): number | undefined {
  const values = answer?.rounds.flatMap((round) => round[figure] ?? []) ?? [];
  return values.length === 0 || answer?.failure !== undefined ? undefined : median(values);
}

/** How many times better than the reference an answer is; undefined where one of them has none. */
export function ratioOf(question: Question, result: CaseResult, contender: string, figure: string): number | undefined {
  const own = medianOf(answerOf(result, contender), figure);
  const theirs = medianOf(answerOf(result, reference), figure);
  if (own === undefined || theirs === undefined) return undefined;
  const better = question.figures.find(({ name }) => name === figure)?.better;
  return better === "more" ? own / theirs : theirs / own;
}

export function verdictsOf(question: Question, result: CaseResult, targets: readonly Target[]): Verdict[] {
  const names = result.answers.map(({ contender }) => contender).filter(isJudged);
  return targets.flatMap((target) =>
    names.map((contender) => {
      const reached =
        target.is === "times better"
          ? ratioOf(question, result, contender, target.figure)
          : medianOf(answerOf(result, contender), target.figure);
      return { ...target, contender, reached, standing: standingOf(target, reached) };
    }),
  );
}

const sideShows: ReadonlySet<ContenderName> = new Set(["bough-memory", "bough-directory"]);

/** The targets are for sessions in files. */
function isJudged(name: ContenderName): boolean {
  return name === yardstick || (isBough(name) && !sideShows.has(name));
}

function standingOf({ is, gate, aim }: Target, reached: number | undefined): Verdict["standing"] {
  if (reached === undefined) return "unknown";
  const holds = (bound: number) => (is === "at most" ? reached <= bound : reached >= bound);
  if (holds(aim)) return "aim";
  return holds(gate) ? "gate" : "missed";
}

function answerOf({ answers }: CaseResult, name: string): Answer | undefined {
  return answers.find(({ contender }) => contender === name);
}
