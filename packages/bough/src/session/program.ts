import type { SessionTreeEntry } from "../entry/entry.ts";
import type { Position } from "../entry/head.ts";
import { syncLogOf } from "./async-log.ts";
import type {
  Appended,
  Blobs,
  EntryLog,
  LogChange,
  LogView,
  ReadUse,
  RecordBatch,
  RecordRun,
  StoredLines,
  SyncEntryLog,
} from "./entry-log.ts";

/**
 * What the engine does with a log is written once, as generators that yield what they need from it. `run` drives one
 * over an asynchronous log, `runSync` over a synchronous one, so `Session` and `SessionManager` share every rule.
 */
export type Program<T> = Generator<LogRequest, T, unknown>;

type LogRequest =
  | { readonly want: "changes"; readonly view: LogView }
  | { readonly want: "read"; readonly positions: readonly Position[]; readonly use: ReadUse }
  | { readonly want: "lines"; readonly runs: readonly RecordRun[] }
  | { readonly want: "blobs"; readonly digests: readonly string[] }
  | { readonly want: "append"; readonly batches: readonly RecordBatch[] }
  | { readonly want: "pause" };

export function* changes(view: LogView): Program<LogChange> {
  return (yield { want: "changes", view }) as LogChange;
}

export function* read(positions: readonly Position[], use: ReadUse = "content"): Program<readonly SessionTreeEntry[]> {
  if (positions.length === 0) return [];
  return (yield { want: "read", positions, use }) as readonly SessionTreeEntry[];
}

export function* readLines(runs: readonly RecordRun[]): Program<StoredLines | undefined> {
  return (yield { want: "lines", runs }) as StoredLines | undefined;
}

export function* readBlobs(digests: readonly string[]): Program<Blobs> {
  return (yield { want: "blobs", digests }) as Blobs;
}

export function* append(batches: readonly RecordBatch[]): Program<Appended> {
  return (yield { want: "append", batches }) as Appended;
}

/** Where a long work lets others have their turn: timers, signals, and whoever else uses the log, also to write. */
export function* pause(): Program<void> {
  yield { want: "pause" };
}

/** Over a log whose I/O is synchronous nothing else happens before the program ends or pauses. */
export async function run<T>(program: Program<T>, log: EntryLog): Promise<T> {
  const sync = syncLogOf(log);
  let step = program.next();
  while (!step.done) {
    const request: LogRequest = step.value;
    if (request.want === "pause") await nextTurn();
    step = sync ? answered(program, request, sync) : await answeredLater(program, request, log);
  }
  return step.value;
}

/** Doesn't pause. */
export function runSync<T>(program: Program<T>, log: SyncEntryLog): T {
  let step = program.next();
  while (!step.done) step = answered(program, step.value, log);
  return step.value;
}

type Step<T> = IteratorResult<LogRequest, T>;

function answered<T>(program: Program<T>, request: LogRequest, log: SyncEntryLog): Step<T> {
  let answer: unknown;
  try {
    answer = answerOf(request, log);
  } catch (error) {
    return program.throw(error);
  }
  return program.next(answer);
}

async function answeredLater<T>(program: Program<T>, request: LogRequest, log: EntryLog): Promise<Step<T>> {
  let answer: unknown;
  try {
    answer = await answerOf(request, log);
  } catch (error) {
    return program.throw(error);
  }
  return program.next(answer);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function answerOf(request: LogRequest, log: EntryLog | SyncEntryLog): unknown {
  switch (request.want) {
    case "changes":
      return log.changes(request.view);
    case "read":
      return log.read(request.positions, request.use);
    case "lines":
      return log.storedLines?.(request.runs);
    case "blobs":
      return log.readBlobs?.(request.digests) ?? new Map();
    case "append":
      return log.append(request.batches);
    case "pause":
      return undefined;
  }
}
