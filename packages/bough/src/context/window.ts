import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import type { Ascent } from "../tree/path.ts";
import { contextOf } from "./context.ts";
import type { ContextPath } from "./growing-context.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { isBoundary, keepPointer } from "./selection.ts";
import type { SessionContextResult } from "./session-context.ts";
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

/**
 * What `contextOf` gives for the whole path, from reading its active window alone. What cuts the path is told where the
 * window reaches it.
 */
export function* readContext<Request>(
  path: Ascent,
  read: BodyReader<Request>,
  options: SessionContextBuildOptions = {},
): Generator<Request, SessionContextResult, unknown> {
  return contextOf(yield* readWindow(path, read), options);
}

/** The entries of a path that any context of it depends on, in path order. */
export function* readActivePath<Request>(
  path: Ascent,
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  return (yield* readWindow(path, read)).entries;
}

/** The same, with what cuts the path if the walk came there. */
export function* readWindow<Request>(
  path: Ascent,
  read: BodyReader<Request>,
): Generator<Request, ContextPath, unknown> {
  const bodies = new Bodies(path, read);
  const boundary = yield* bodies.newest({ head: isBoundary, body: isBoundary }, fromLeaf);
  const end = yield* windowEnd(path, bodies, boundary);
  const { cut } = path;
  const floor = yield* stateFloor(bodies, boundary);
  const above = { from: end, to: floor };
  const below = { from: 0, to: Math.min(end, floor) };
  const sources = possibleSources(path, above);
  yield* bodies.fetch([...likelyState(path, sources, below, above), ...stepsOf(path, { from: 0, to: end })]);
  for (const source of sources) {
    if (!bodies.some(source, below)) yield* bodies.newest(source, above);
  }
  return { entries: bodies.inPathOrder(), cut };
}

/** The entries of a path that its state depends on, in path order: what `deriveSessionContextState` needs of it. */
export function* readStatePath<Request>(
  path: Ascent,
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  const bodies = new Bodies(path, read);
  const range = { from: 0, to: yield* stateFloor(bodies, 0) };
  const sources = possibleSources(path, range);
  yield* bodies.fetch(likelyState(path, sources, { from: 0, to: 0 }, range));
  for (const source of sources) yield* bodies.newest(source, range);
  return bodies.inPathOrder();
}

/** Steps above the leaf, `to` excluded. Where a path is shorter the range ends with it. */
interface Steps {
  readonly from: number;
  readonly to: number;
}

const fromLeaf: Steps = { from: 0, to: Number.POSITIVE_INFINITY };

interface Wanted {
  readonly head: (head: EntryHead) => boolean;
  readonly body: (entry: SessionTreeEntry) => boolean;
}

interface StateSource extends Wanted {
  /** Of the entries that alone can hold it, if they are of one type. */
  readonly type?: string;
}

const stateSources: readonly StateSource[] = [
  { head: mayNameModel, body: (entry) => modelIn(entry) !== undefined },
  sourceOf("thinking_level_change", (entry) => thinkingLevelIn(entry) !== undefined),
  sourceOf("active_tools_change", (entry) => activeToolsIn(entry) !== undefined),
];

function sourceOf(type: string, body: Wanted["body"]): StateSource {
  return { type, head: (head) => head.type === type, body };
}

/** Where the path has to be walked to its root for what is missing, it is asked first whether that can be there at all. */
function possibleSources(path: Ascent, above: Steps): readonly StateSource[] {
  return stateSources.filter(({ type }) => type === undefined || mayStand(path, type, above));
}

function mayStand(path: Ascent, type: string, { from, to }: Steps): boolean {
  return to !== Number.POSITIVE_INFINITY || from === to || path.mayHold(type);
}

/** Where the window ends that the boundary (undefined: none) leaves: above what a compaction keeps, or at the boundary. */
function* windowEnd<Request>(
  path: Ascent,
  bodies: Bodies<Request>,
  boundary: number | undefined,
): Generator<Request, number, unknown> {
  if (boundary === undefined) return Number.POSITIVE_INFINITY;
  const compaction = bodies.get(boundary);
  const firstKeptId = compaction?.type === "compaction" ? keepPointer(compaction) : undefined;
  const above = { from: boundary + 1, to: Number.POSITIVE_INFINITY };
  const first = firstKeptId === undefined ? undefined : stepWhere(path, above, (head) => head.id === firstKeptId);
  if (first === undefined) return boundary;
  const reset = yield* bodies.newest({ head: isReset, body: isReset }, { from: boundary + 1, to: first + 1 });
  if (reset === undefined) return first + 1;
  yield* bodies.fetch([first]);
  return reset;
}

/** The compaction whose snapshot stands for the state above it; without one state is looked for up to the root. */
function* stateFloor<Request>(
  bodies: Bodies<Request>,
  boundary: number | undefined,
): Generator<Request, number, unknown> {
  if (boundary === undefined) return Number.POSITIVE_INFINITY;
  const compaction = yield* bodies.newest({ head: isCompaction, body: isCompaction }, { ...fromLeaf, from: boundary });
  if (compaction === undefined || !stateSnapshot(bodies.get(compaction))) return Number.POSITIVE_INFINITY;
  return compaction;
}

/** Rules add up, so all of them; of the rest the newest above the window, where heads show none inside it. */
function likelyState(path: Ascent, sources: readonly StateSource[], below: Steps, above: Steps): number[] {
  const wanted = new Set(sources.filter(({ head }) => stepWhere(path, below, head) === undefined));
  const hasRules = mayStand(path, "ttsr_injection", above);
  const steps: number[] = [];
  for (let step = above.from; step < above.to && (hasRules || wanted.size > 0); step++) {
    const head = path.at(step);
    if (head === undefined) break;
    if (head.type === "message" && head.role !== "assistant") continue;
    let isLikely = head.type === "ttsr_injection";
    for (const source of wanted) {
      if (!source.head(head)) continue;
      wanted.delete(source);
      isLikely = true;
    }
    if (isLikely) steps.push(step);
  }
  return steps;
}

function stepWhere(path: Ascent, { from, to }: Steps, matches: (head: EntryHead) => boolean): number | undefined {
  for (let step = from; step < to; step++) {
    const head = path.at(step);
    if (head === undefined) return undefined;
    if (matches(head)) return step;
  }
  return undefined;
}

function* stepsOf(path: Ascent, { from, to }: Steps): Iterable<number> {
  for (let step = from; step < to && path.at(step) !== undefined; step++) yield step;
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

/** The bodies of a path read so far, by their steps above the leaf. None is read twice. */
class Bodies<Request> {
  readonly #path: Ascent;
  readonly #read: BodyReader<Request>;
  readonly #bodies = new Map<number, SessionTreeEntry>();

  constructor(path: Ascent, read: BodyReader<Request>) {
    this.#path = path;
    this.#read = read;
  }

  get(step: number): SessionTreeEntry | undefined {
    return this.#bodies.get(step);
  }

  /** Whether a body read so far holds what is wanted. */
  some({ body: holds }: Wanted, { from, to }: Steps): boolean {
    return this.#bodies.entries().some(([step, entry]) => step >= from && step < to && holds(entry));
  }

  inPathOrder(): readonly SessionTreeEntry[] {
    return Array.from(this.#bodies)
      .sort(([a], [b]) => b - a)
      .map(([, entry]) => entry);
  }

  *fetch(steps: Iterable<number>): Generator<Request, void, unknown> {
    const missing = [...new Set(steps)].filter((step) => !this.#bodies.has(step)).sort((a, b) => b - a);
    if (missing.length === 0) return;
    const entries = yield* this.#read(missing.map((step) => (this.#path.at(step) as EntryHead).position));
    for (const [order, step] of missing.entries()) this.#bodies.set(step, entries[order] as SessionTreeEntry);
  }

  /** The lowest step of a range whose head promises what is wanted and whose body holds it. */
  *newest({ head: promises, body: holds }: Wanted, range: Steps): Generator<Request, number | undefined, unknown> {
    let size = 1;
    let next = stepWhere(this.#path, range, promises);
    while (next !== undefined) {
      const batch: number[] = [];
      while (next !== undefined && batch.push(next) < size) {
        next = stepWhere(this.#path, { from: next + 1, to: range.to }, promises);
      }
      yield* this.fetch(batch);
      const found = batch.find((step) => holds(this.#bodies.get(step) as SessionTreeEntry));
      if (found !== undefined) return found;
      const last: number = batch.at(-1) as number;
      next = stepWhere(this.#path, { from: last + 1, to: range.to }, promises);
      size *= 2;
    }
    return undefined;
  }
}
