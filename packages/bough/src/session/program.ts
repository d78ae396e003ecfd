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
  | { readonly want: "append"; readonly batches: readonly RecordBatch[] };

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

export async function run<T>(program: Program<T>, log: EntryLog): Promise<T> {
  const sync = syncLogOf(log);
  if (sync) return runSync(program, sync);
  let step = program.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await answerOf(step.value, log);
    } catch (error) {
      step = program.throw(error);
      continue;
    }
    step = program.next(answer);
  }
  return step.value;
}

export function runSync<T>(program: Program<T>, log: SyncEntryLog): T {
  let step = program.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = answerOf(step.value, log);
    } catch (error) {
      step = program.throw(error);
      continue;
    }
    step = program.next(answer);
  }
  return step.value;
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
  }
}
