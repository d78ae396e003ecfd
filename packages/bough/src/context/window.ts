import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import type { Path } from "../tree/path.ts";
import { contextOf, type SessionContextResult } from "./context.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { indexBefore, isBoundary, keepPointer } from "./selection.ts";
import { activeToolsIn, isDefaultRole, modelIn, stateSnapshot, thinkingLevelIn } from "./state.ts";

/*
 * A context depends on few entries of a long path: its last compaction or reset, what follows it, what the compaction
 * keeps, and the newest entry for each piece of state. Heads tell where those stand, so only their bodies are read, in
 * path order; what they leave out changes nothing, and the pure functions run on them as on the whole path.
 *
 * A head can promise what its body doesn't hold (a damaged line, a malformed field). Whatever is looked for is therefore
 * looked for until a body confirms it, in batches that double, so that bad luck costs a logarithm of round trips.
 */

/** Asks a log for bodies; `read` of a session's programs is one. */
export type BodyReader<Request> = (
  positions: readonly Position[],
) => Generator<Request, readonly SessionTreeEntry[], unknown>;

/** What `contextOf` gives for the whole path, from reading its active window alone. */
export function* readContext<Request>(
  path: Path,
  read: BodyReader<Request>,
  options: SessionContextBuildOptions = {},
): Generator<Request, SessionContextResult, unknown> {
  const entries = yield* readActivePath(path.heads, read);
  return contextOf({ entries, ...(path.cut && { cut: path.cut }) }, options);
}

/** The entries of a path that any context of it depends on, in path order. */
export function* readActivePath<Request>(
  heads: readonly EntryHead[],
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  const bodies = new Bodies(heads, read);
  const boundary = yield* bodies.newest({ end: heads.length, head: isBoundary, body: isBoundary });
  const compaction = yield* bodies.newest({ end: boundary + 1, head: isCompaction, body: isCompaction });
  const start = yield* windowStart(heads, bodies, boundary);
  const floor = stateSnapshot(bodies.get(compaction)) ? compaction + 1 : 0;
  const above = { start: floor, end: start };
  yield* bodies.fetch([...likelyState(heads, above), ...range(start, heads.length)]);
  for (const source of stateSources) {
    if (bodies.some(Math.max(start, floor), source.body)) continue;
    yield* bodies.newest({ ...source, ...above });
  }
  return bodies.inPathOrder();
}

interface Range {
  readonly start?: number;
  readonly end: number;
}

interface Wanted {
  readonly head: (head: EntryHead) => boolean;
  readonly body: (entry: SessionTreeEntry) => boolean;
}

const stateSources: readonly Wanted[] = [
  { head: mayNameModel, body: (entry) => modelIn(entry) !== undefined },
  { head: (head) => head.type === "thinking_level_change", body: (entry) => thinkingLevelIn(entry) !== undefined },
  { head: (head) => head.type === "active_tools_change", body: (entry) => activeToolsIn(entry) !== undefined },
];

function* windowStart<Request>(
  heads: readonly EntryHead[],
  bodies: Bodies<Request>,
  boundary: number,
): Generator<Request, number, unknown> {
  const compaction = bodies.get(boundary);
  const firstKeptId = compaction?.type === "compaction" ? keepPointer(compaction) : undefined;
  const first = firstKeptId === undefined ? -1 : indexBefore(heads, boundary, firstKeptId);
  if (first === -1) return boundary + 1;
  const reset = yield* bodies.newest({ start: first, end: boundary, head: isReset, body: isReset });
  if (reset === -1) return first;
  yield* bodies.fetch([first]);
  return reset + 1;
}

/** Rules add up, so all of them; of the rest the newest above the window, where heads show none inside it. */
function likelyState(heads: readonly EntryHead[], above: Required<Range>): readonly number[] {
  const indices: number[] = [];
  for (let index = above.start; index < above.end; index++) {
    if (heads[index]?.type === "ttsr_injection") indices.push(index);
  }
  for (const { head: matches } of stateSources) {
    const newest = heads.findLastIndex(matches);
    if (newest >= above.start && newest < above.end) indices.push(newest);
  }
  return indices.sort((a, b) => a - b);
}

function mayNameModel(head: EntryHead): boolean {
  if (head.type === "model_change") return isDefaultRole(head.role);
  return head.type === "message" && head.role === "assistant";
}

function isCompaction(entry: { readonly type: string }): boolean {
  return entry.type === "compaction";
}

function isReset(entry: { readonly type: string }): boolean {
  return entry.type === "reset_boundary";
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}

/** The bodies of a path read so far, by their index on it. None is read twice. */
class Bodies<Request> {
  readonly #heads: readonly EntryHead[];
  readonly #read: BodyReader<Request>;
  readonly #bodies: (SessionTreeEntry | undefined)[];

  constructor(heads: readonly EntryHead[], read: BodyReader<Request>) {
    this.#heads = heads;
    this.#read = read;
    this.#bodies = heads.map(() => undefined);
  }

  get(index: number): SessionTreeEntry | undefined {
    return this.#bodies[index];
  }

  some(start: number, matches: (entry: SessionTreeEntry) => boolean): boolean {
    return this.#bodies.some((entry, index) => index >= start && entry !== undefined && matches(entry));
  }

  inPathOrder(): readonly SessionTreeEntry[] {
    return this.#bodies.filter((entry) => entry !== undefined);
  }

  *fetch(indices: readonly number[]): Generator<Request, void, unknown> {
    const missing = indices.filter((index) => this.#bodies[index] === undefined);
    if (missing.length === 0) return;
    const entries = yield* this.#read(missing.map((index) => (this.#heads[index] as EntryHead).position));
    for (const [order, index] of missing.entries()) this.#bodies[index] = entries[order];
  }

  /** The highest index in the range whose head promises what is wanted and whose body holds it, or -1. */
  *newest({ start = 0, end, head: promises, body: holds }: Wanted & Range): Generator<Request, number, unknown> {
    let batch: number[] = [];
    let size = 1;
    for (let index = end - 1; index >= start; index--) {
      if (promises(this.#heads[index] as EntryHead)) batch.push(index);
      if (batch.length < size && index > start) continue;
      yield* this.fetch(batch);
      const found = batch.find((candidate) => {
        const entry = this.#bodies[candidate];
        return entry !== undefined && holds(entry);
      });
      if (found !== undefined) return found;
      batch = [];
      size *= 2;
    }
    return -1;
  }
}
