import { spawn } from "node:child_process";
import { join } from "node:path";
import { type ContenderName, isBough } from "./contenders.ts";
import type { Job } from "./measured.ts";
import type { Case, Measurement, Question } from "./question.ts";
import { dropFromCache, folderOf, programs, withScratch } from "./workplace.ts";

/** How one contender did in one case, a measurement a round. */
export interface Answer {
  readonly contender: ContenderName;
  readonly rounds: readonly Measurement[];
  /** Why it could not be measured to the end. */
  readonly failure?: string;
}

export interface CaseResult {
  readonly label: string;
  readonly answers: readonly Answer[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly contenders?: readonly string[];
}

/**
 * Every measurement is a process of its own, and contenders take turns within a round, so that what disturbs the machine
 * disturbs all of them. Who fails once is asked no more.
 */
export async function played(question: Question, asked: Case, options: RoundOptions): Promise<CaseResult> {
  const names = asked.contenders.filter((name) => options.contenders?.includes(name) ?? true);
  const rounds = new Map<ContenderName, Measurement[]>(names.map((name) => [name, []]));
  const failures = new Map<ContenderName, string>();
  for (let round = 0; round < options.rounds; round++) {
    for (const name of names) {
      if (failures.has(name)) continue;
      if (asked.coldFile !== undefined) dropFromCache(asked.coldFile);
      try {
        rounds.get(name)?.push(await measured(question.name, name, asked.args));
      } catch (error) {
        failures.set(name, (error as Error).message);
      }
    }
  }
  const answers = names.map((contender) => {
    const failure = failures.get(contender);
    return { contender, rounds: rounds.get(contender) ?? [], ...(failure !== undefined && { failure }) };
  });
  return { label: asked.label, answers };
}

async function measured(question: string, contender: ContenderName, args: unknown): Promise<Measurement> {
  return await withScratch(async (scratch) => {
    const job: Job = { question, contender, args, peerFolder: folderOf(contender), scratch };
    return JSON.parse(await output(job)) as Measurement;
  });
}

/** Of a process that finds no settings of a user and no network. */
async function output(job: Job): Promise<string> {
  const home = { HOME: job.scratch, USERPROFILE: job.scratch, BOUGH_HOME: job.scratch };
  const env = { ...process.env, ...home, ...(!isBough(job.contender) && { PI_OFFLINE: "1" }) };
  const args = [join(programs, "measured.js"), JSON.stringify(job)];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
  ]);
  if (code === 0) return stdout.slice(stdout.lastIndexOf("\n") + 1);
  const reason = /^\w*Error.*$/m.exec(stderr)?.[0] ?? `ended with ${code}`;
  throw new Error(`${job.question} with ${job.contender}: ${reason}`);
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}
