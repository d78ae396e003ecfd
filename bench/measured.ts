import { writeSync } from "node:fs";
import { type ContenderName, contenders } from "./contenders.ts";
import type { Question } from "./question.ts";

/** What a measuring process is told, as JSON in its first argument. It prints a `Measurement` and ends. */
export interface Job {
  readonly question: string;
  readonly contender: ContenderName;
  readonly args: unknown;
  readonly peerFolder: string;
  readonly scratch: string;
}

const job: Job = JSON.parse(process.argv[2] as string);
// Nothing of the other questions is loaded: what a process holds besides its contender counts as the contender's.
const { question }: { readonly question: Question } = await import(`./questions/${job.question}.js`);
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
