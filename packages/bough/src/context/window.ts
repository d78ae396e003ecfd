import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { Ascent } from "../tree/path.ts";
import { contextOf } from "./context.ts";
import type { ContextPath } from "./growing-context.ts";
import type { SessionContextBuildOptions } from "./options.ts";
import { type BodyReader, fromLeaf, PathBodies, stepsOf, stepWhere } from "./path-bodies.ts";
import { isBoundary, keepPointer } from "./selection.ts";
import type { SessionContextResult } from "./session-context.ts";
import type { SessionContextState } from "./state.ts";
import { readStateAbove, stateFloor, tellsState } from "./state-path.ts";

/*
 * A context depends on few entries of a long path: its last compaction or reset, what follows it, what the compaction
 * keeps, and the newest entry for each piece of state. Heads tell where those stand, so only their bodies are read, in
 * path order; what they leave out changes nothing, and the pure functions run on them as on the whole path.
 *
 * A head can promise what its body doesn't hold (a damaged line, a malformed field). Whatever is looked for is therefore
 * looked for until a body confirms it, in batches that double, so that bad luck costs a logarithm of round trips.
 */

/**
 * What `contextOf` gives for the whole path, from reading its active window alone. What cuts the path is told where the
 * window reaches it.
 */
export function* readContext<Request>(
  path: Ascent,
  read: BodyReader<Request>,
  options: SessionContextBuildOptions = {},
  stateBefore?: StateBefore,
): Generator<Request, SessionContextResult, unknown> {
  return contextOf(yield* readWindow(path, read, stateBefore), options);
}

/** The entries of a path that any context of it depends on, in path order. */
export function* readActivePath<Request>(
  path: Ascent,
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  return (yield* readWindow(path, read)).entries;
}

/** The state above an entry, to be looked for when somebody asks. */
export type StateBefore = (head: EntryHead) => SessionContextState;

/**
 * The same, with what cuts the path if the walk came there. State that the window doesn't tell is read with it; with
 * `stateBefore` it is left to that where nothing but a walk to the root could tell.
 */
export function* readWindow<Request>(
  path: Ascent,
  read: BodyReader<Request>,
  stateBefore?: StateBefore,
): Generator<Request, ContextPath, unknown> {
  const bodies = new PathBodies(path, read);
  const boundary = yield* bodies.newest({ head: isBoundary, body: isBoundary }, fromLeaf);
  const end = yield* windowEnd(path, bodies, boundary);
  const { cut } = path;
  const floor = yield* stateFloor(bodies, boundary);
  const window = { from: 0, to: end };
  const next = floor === Number.POSITIVE_INFINITY ? path.at(end) : undefined;
  // What a compaction names as kept is read though a reset stands below it, and its state is older than what stands between.
  const isToldAbove = bodies.some(tellsState, { ...fromLeaf, from: end });
  if (stateBefore && next && !isToldAbove) {
    yield* bodies.fetch(stepsOf(path, window));
    return { entries: bodies.inPathOrder(), cut, before: stateBefore(next) };
  }
  const below = { from: 0, to: Math.min(end, floor) };
  yield* readStateAbove(path, bodies, { above: { from: end, to: floor }, below, window: stepsOf(path, window) });
  return { entries: bodies.inPathOrder(), cut };
}

/** Where the window ends that the boundary (undefined: none) leaves: above what a compaction keeps, or at the boundary. */
function* windowEnd<Request>(
  path: Ascent,
  bodies: PathBodies<Request>,
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

function isReset(entry: { readonly type: string }): boolean {
  return entry.type === "reset_boundary";
}
