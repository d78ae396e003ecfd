import type { Contender } from "./contenders/contender.ts";
import type { ContenderName } from "./contenders.ts";
import type { LongLinePlan } from "./generate/long-line.ts";
import type { FolderPlan, SessionPlan } from "./generate/plan.ts";

/** What is asked of every engine, and how an answer is measured. `Args` must survive JSON. */
export interface Question<Args = unknown> {
  readonly name: string;
  readonly asks: string;
  /** The columns of its table; the first one is what ratios are of. */
  readonly figures: readonly Figure[];
  cases(plan: Plan): readonly Case<Args>[];
  /** In a process of its own. */
  measure(subject: Subject, args: Args): Promise<Measurement>;
}

export interface Figure {
  readonly name: string;
  readonly unit: "ms" | "µs" | "MB" | "per s" | "×" | "";
  readonly better: "less" | "more";
}

export type Measurement = Readonly<Record<string, number>>;

/** Paths of generated sessions, all of one seed. Nobody may change them. */
export interface Data {
  session(plan: Omit<SessionPlan, "seed">): string;
  /** One of a thousand entries, of which one is long. */
  longLine(plan: LongLinePlan): string;
  folder(plan: Omit<FolderPlan, "seed">): string;
  /** Where the catalog of such a folder is kept. */
  catalog(plan: Omit<FolderPlan, "seed">): string;
  /** A folder like it, of which one session may be added to. */
  changingFolder(plan: Omit<FolderPlan, "seed">): ChangingFolder;
  /** Words that some messages have in this order. */
  readonly phrase: string;
}

export interface ChangingFolder {
  readonly folder: string;
  readonly catalog: string;
  /** The session that changes. */
  readonly file: string;
}

export interface Plan {
  readonly data: Data;
  /** Sessions of so many entries. */
  readonly sizes: readonly number[];
  /** Folders of so many sessions. */
  readonly folders: readonly number[];
}

export interface Case<Args = unknown> {
  readonly label: string;
  readonly contenders: readonly ContenderName[];
  readonly args: Args;
  /** Takes long: measured less often. */
  readonly isSlow?: boolean;
  /** Dropped from the page cache before each measurement. */
  readonly coldFile?: string;
  readonly targets?: readonly Target[];
}

export interface Target {
  readonly row: string;
  readonly figure: string;
  /** `times better` than the reference in the same run, or the figure itself. */
  readonly is: "times better" | "at most" | "at least";
  readonly gate: number;
  readonly aim: number;
}

/** What a measuring process has: its contender, by name where it is another program that loads it. */
export interface Subject {
  readonly name: ContenderName;
  /** Where a peer is installed; empty for bough. */
  readonly folder: string;
  /** Loads it; takes the time that takes. */
  readonly load: () => Promise<Contender>;
  /** An empty folder that is gone afterwards. */
  readonly scratch: string;
}

export const slowSize = 100_000;

export function thousands(count: number): string {
  return count % 1000 === 0 ? `${count / 1000}k` : String(count);
}

/** A gate and an aim for each size that has them. */
export function timesBetter(
  row: string,
  figure: string,
  bySize: Readonly<Record<number, readonly [number, number]>>,
  size: number,
): readonly Target[] {
  const [gate, aim] = bySize[size] ?? [];
  if (gate === undefined || aim === undefined) return [];
  return [{ row: `${row}, ${thousands(size)}`, figure, is: "times better", gate, aim }];
}
