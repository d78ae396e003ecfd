import { reference } from "./contenders.ts";
import type { Machine } from "./machine.ts";
import type { Figure, Question } from "./question.ts";
import type { Answer, CaseResult } from "./rounds.ts";
import { medianOf, ratioOf, type Verdict } from "./verdict.ts";

/** The cases of one question as a Markdown table: medians, the range of the first figure, its ratio to the reference. */
export function tableOf(question: Question, results: readonly CaseResult[]): string {
  const [first] = question.figures;
  const titles = question.figures.map(({ name, unit }) => (unit === "" ? name : `${name} (${unit})`));
  const head = ["case", "who", ...titles, "range", `× ${reference}`];
  const rows = results.flatMap((result) =>
    result.answers.map((answer) => rowOf(question, result, answer, first as Figure)),
  );
  return `### ${question.name}: ${question.asks}\n\n${markdown(head, rows)}`;
}

function rowOf(question: Question, result: CaseResult, answer: Answer, first: Figure): string[] {
  const values = answer.rounds.flatMap((round) => round[first.name] ?? []);
  const range = values.length > 1 ? `${short(Math.min(...values))}–${short(Math.max(...values))}` : "";
  const figures = question.figures.map(({ name }) => short(medianOf(answer, name)));
  const ratio = answer.failure ?? short(ratioOf(question, result, answer.contender, first.name));
  return [result.label, answer.contender, ...figures, range, ratio];
}

/** What was reached of each target, a column for each of bough's faces. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const faces = [...new Set(verdicts.map(({ contender }) => contender))];
  const head = ["row", "gate", "aim", ...faces];
  const rows = [...Map.groupBy(verdicts, ({ row }) => row)].map(([row, ofRow]) => {
    const { is, gate, aim } = ofRow[0] as Verdict;
    const reached = faces.map((face) => reachedIn(ofRow.find(({ contender }) => contender === face)));
    return [row, bound(is, gate), bound(is, aim), ...reached];
  });
  return markdown(head, rows);
}

function reachedIn(verdict: Verdict | undefined): string {
  if (verdict?.reached === undefined) return "";
  const { is, reached, standing } = verdict;
  return `${short(reached)}${is === "times better" ? "×" : ""}, ${words[standing]}`;
}

function bound(is: Verdict["is"], value: number): string {
  return is === "times better" ? `${value}×` : `${is === "at most" ? "≤" : "≥"} ${value}`;
}

const words: Readonly<Record<Verdict["standing"], string>> = {
  aim: "aim",
  gate: "gate",
  missed: "**missed**",
  unknown: "",
};

export function machineLine(machine: Machine): string {
  const { date, processor, cores, memoryGb, system, node, peers, load } = machine;
  const versions = `Node ${node.slice(1)}; ${peers.join(", ")}`;
  return `${date.slice(0, 10)}, ${processor}, ${cores} cores, ${memoryGb} GB, ${system}; ${versions}; load ${load.toFixed(1)} at the begin.`;
}

/** Three digits that count. */
export function short(value: number | undefined): string {
  if (value === undefined) return "";
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column < 2 ? "---" : "---:"));
  return [line(head), `|${rule.join("|")}|`, ...rows.map(line)].join("\n");
}
