import { writeSync } from "node:fs";
import { type ContenderName, contenders } from "./contenders.ts";
import { questions } from "./questions.ts";

/** What a measuring process is told, as JSON in its first argument. It prints a `Measurement` and ends. */
export interface Job {
  readonly question: string;
  readonly contender: ContenderName;
  readonly args: unknown;
  readonly peerFolder: string;
  readonly scratch: string;
}

const job: Job = JSON.parse(process.argv[2] as string);
const question = questions.find(({ name }) => name === job.question);
if (!question) throw new Error(`no question ${job.question}`);
const measurement = await question.measure(
  {
    name: job.contender,
    folder: job.peerFolder,
    load: () => contenders[job.contender].load(job.peerFolder),
    scratch: job.scratch,
  },
  job.args,
);
writeSync(1, JSON.stringify(measurement));
process.exit();
