import type { BatchItem } from "bough";
import type { RunStatus } from "../hooks/events.ts";
import { operation } from "./operation.ts";
import type { InterruptedRun, RecoveryPlan } from "./recovery-plan.ts";

interface Interrupted extends InterruptedRun {
  /** Whether it is written down that this process took it up. */
  readonly counted: boolean;
}

/** Which run is open at the leaf, and what is written when runs begin and end. */
export class Journal {
  #interrupted: Interrupted | undefined;
  #isParked: boolean;

  constructor(interrupted: Interrupted | undefined, isParked: boolean) {
    this.#interrupted = interrupted;
    this.#isParked = isParked;
  }

  get interrupted(): InterruptedRun | undefined {
    return this.#interrupted;
  }

  /** Whether the run at the leaf ended its process too often. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** The leaf went elsewhere, and with it which run is open there. */
  stand({ run, settled, isParked }: RecoveryPlan): void {
    this.#interrupted = run && !settled ? { ...run, counted: false } : undefined;
    this.#isParked = isParked;
  }

  /** A new run under the id `op`, which takes the place of an interrupted one. */
  begin(kind: "prompt" | "continue", op: string, children: readonly (BatchItem & { readonly id: string })[]): Opening {
    const old = this.#interrupted;
    const inputs = children.map(({ id }) => id);
    const ending = old ? [operation("op_end", { op: old.op, outcome: "superseded" })] : [];
    return { op, items: [...ending, ...children, operation("op_start", { kind, inputs }, op)] };
  }

  /** The interrupted run goes on; undefined if there is none. */
  resume(children: readonly BatchItem[]): Opening | undefined {
    const run = this.#interrupted;
    if (!run) return undefined;
    const mark = run.counted ? [] : [operation("op_resume", { op: run.op, calls: [] })];
    return { op: run.op, items: [...children, ...mark] };
  }

  /** The items of an opening are stored. Until `ended` the run counts as interrupted. */
  opened({ op }: Opening): void {
    const attempts = this.#interrupted?.op === op ? this.#interrupted.attempts : 1;
    this.#interrupted = { op, attempts, counted: true };
    this.#isParked = false;
  }

  end(op: string, { outcome, answer, waiting }: RunEnd): BatchItem {
    return operation("op_end", {
      ...{ op, outcome },
      ...(answer !== undefined && { answer }),
      ...(waiting.length > 0 && { waiting }),
    });
  }

  ended(): void {
    this.#interrupted = undefined;
  }
}

export interface RunEnd {
  readonly outcome: RunStatus;
  readonly answer: string | undefined;
  /** Entries that what is queued will be. */
  readonly waiting: readonly string[];
}

export interface Opening {
  readonly op: string;
  readonly items: readonly BatchItem[];
}
