import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { thisMachine } from "./machine.ts";
import { questionsNamed } from "./questions.ts";
import { machineLine, tableOf, verdictTable } from "./report.ts";
import { type CaseResult, played } from "./rounds.ts";
import { type Verdict, verdictsOf } from "./verdict.ts";
import { generatedData, requirePrograms, results } from "./workplace.ts";

/**
 * `npm run bench -- [QUESTION…] [--sizes 1000,10000,100000] [--folders 200,1000,5000] [--rounds 5]
 * [--contenders pi-1.6,bough-jsonl]`: prints Markdown, and keeps it and every single figure in `.bench/results`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    folders: { type: "string", default: "200,1000,5000" },
    rounds: { type: "string", default: "5" },
    contenders: { type: "string" },
  },
});

requirePrograms();
const machine = thisMachine();
const plan = { data: generatedData(), sizes: numbers(values.sizes), folders: numbers(values.folders) };
const contenders = values.contenders?.split(",");
const rounds = Number(values.rounds);
const answers: { readonly question: string; readonly results: readonly CaseResult[] }[] = [];
const verdicts: Verdict[] = [];
const report = [machineLine(machine)];
say(report[0] as string);

for (const question of questionsNamed(positionals)) {
  const ofQuestion: CaseResult[] = [];
  for (const asked of question.cases(plan)) {
    process.stderr.write(`${question.name}: ${asked.label}\n`);
    const result = await played(question, asked, {
      rounds: asked.isSlow ? Math.min(rounds, 3) : rounds,
      ...(contenders && { contenders }),
    });
    ofQuestion.push(result);
    verdicts.push(...verdictsOf(question, result, asked.targets ?? []));
  }
  answers.push({ question: question.name, results: ofQuestion });
  report.push(tableOf(question, ofQuestion));
  say(report.at(-1) as string);
}
if (verdicts.length > 0) {
  report.push(`### What was reached\n\n${verdictTable(verdicts)}`);
  say(report.at(-1) as string);
}
keep();

function say(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

function keep(): void {
  mkdirSync(results, { recursive: true });
  const name = join(results, machine.date.replace(/[:.]/g, "-"));
  writeFileSync(`${name}.json`, `${JSON.stringify({ machine, answers, verdicts }, null, 1)}\n`);
  writeFileSync(`${name}.md`, `${report.join("\n\n")}\n`);
  process.stderr.write(`kept as ${name}.json and .md\n`);
}

function numbers(list: string): number[] {
  return list.split(",").map(Number);
}
