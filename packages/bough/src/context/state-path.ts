import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { Ascent } from "../tree/path.ts";
import { type BodyReader, fromLeaf, PathBodies, type Steps, stepWhere, type Wanted } from "./path-bodies.ts";
import {
  activeToolsIn,
  injectedRulesIn,
  isDefaultRole,
  modelIn,
  type SessionContextState,
  stateSnapshot,
  thinkingLevelIn,
} from "./state.ts";

/** Where a piece of state is found on a path. */
interface StateSource extends Wanted {
  /** Of the entries that alone can hold it, if they are of one type. */
  readonly type?: string;
  /** Whether all of them count together; else the newest alone. */
  readonly addsUp?: boolean;
  /** Whether most sessions have some, so that nobody has to ask whether there are any. */
  readonly isCommon?: boolean;
}

const sources: Readonly<Record<keyof SessionContextState, StateSource>> = {
  model: { head: mayNameModel, body: (entry) => modelIn(entry) !== undefined },
  thinkingLevel: { ...sourceOf("thinking_level_change", thinkingLevelIn), isCommon: true },
  activeToolNames: sourceOf("active_tools_change", activeToolsIn),
  injectedRules: { ...sourceOf("ttsr_injection", injectedRulesIn), addsUp: true },
};
const newestSources = Object.values(sources).filter(({ addsUp }) => !addsUp);

/** The entries of a path that its state depends on, in path order: what `deriveSessionContextState` needs of it. */
export function* readStatePath<Request>(
  path: Ascent,
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  const bodies = new PathBodies(path, read);
  const range = { from: 0, to: yield* stateFloor(bodies, 0) };
  const possible = possibleSources(path, range);
  yield* bodies.fetch(likelyState(path, possible, { from: 0, to: 0 }, range));
  for (const source of possible) yield* bodies.newest(source, range);
  return bodies.inPathOrder();
}

/** Whether an entry tells any piece of state. */
export function tellsState(entry: SessionTreeEntry): boolean {
  return Object.values(sources).some(({ body }) => body(entry));
}

/** Whether a message may tell a piece of state; else a path will do that lacks messages. */
export function isToldByMessages(piece: keyof SessionContextState): boolean {
  return sources[piece].type === undefined;
}

/** The same for one piece of it, and of the whole path, whatever snapshots stand on it. */
export function* readStatePiece<Request>(
  path: Ascent,
  piece: keyof SessionContextState,
  read: BodyReader<Request>,
): Generator<Request, readonly SessionTreeEntry[], unknown> {
  const source = sources[piece];
  const bodies = new PathBodies(path, read);
  if (source.isCommon || isPossible(path, source, fromLeaf)) {
    if (source.addsUp) yield* bodies.fetch(stepsWhere(path, fromLeaf, source.head));
    else yield* bodies.newest(source, fromLeaf);
  }
  return bodies.inPathOrder();
}

/** Reads what a window, `below`, leaves open: the newest entry for each piece of state that it doesn't tell. */
export function* readStateAbove<Request>(
  path: Ascent,
  bodies: PathBodies<Request>,
  { above, below, window }: { readonly above: Steps; readonly below: Steps; readonly window: Iterable<number> },
): Generator<Request, void, unknown> {
  const possible = possibleSources(path, above);
  yield* bodies.fetch([...likelyState(path, possible, below, above), ...window]);
  for (const source of possible) {
    if (!bodies.some(source.body, below)) yield* bodies.newest(source, above);
  }
}

/** The compaction whose snapshot stands for the state above it; without one state is looked for up to the root. */
export function* stateFloor<Request>(
  bodies: PathBodies<Request>,
  boundary: number | undefined,
): Generator<Request, number, unknown> {
  if (boundary === undefined) return Number.POSITIVE_INFINITY;
  const compaction = yield* bodies.newest({ head: isCompaction, body: isCompaction }, { ...fromLeaf, from: boundary });
  if (compaction === undefined || !stateSnapshot(bodies.get(compaction))) return Number.POSITIVE_INFINITY;
  return compaction;
}

function sourceOf(type: string, valueIn: (entry: SessionTreeEntry) => unknown): StateSource {
  return { type, head: (head) => head.type === type, body: (entry) => valueIn(entry) !== undefined };
}

/** Where the path has to be walked to its root for what is missing, it is asked first whether that can be there at all. */
function possibleSources(path: Ascent, above: Steps): readonly StateSource[] {
  return newestSources.filter((source) => isPossible(path, source, above));
}

function isPossible(path: Ascent, { type }: StateSource, { from, to }: Steps): boolean {
  return type === undefined || to !== Number.POSITIVE_INFINITY || from === to || path.mayHold(type);
}

/** Rules add up, so all of them; of the rest the newest above the window, where heads show none inside it. */
function likelyState(path: Ascent, possible: readonly StateSource[], below: Steps, above: Steps): number[] {
  const wanted = new Set(possible.filter(({ head }) => stepWhere(path, below, head) === undefined));
  const rules = sources.injectedRules;
  const hasRules = isPossible(path, rules, above);
  const steps: number[] = [];
  for (let step = above.from; step < above.to && (hasRules || wanted.size > 0); step++) {
    const head = path.at(step);
    if (head === undefined) break;
    if (head.type === "message" && head.role !== "assistant") continue;
    let isLikely = rules.head(head);
    for (const source of wanted) {
      if (!source.head(head)) continue;
      wanted.delete(source);
      isLikely = true;
    }
    if (isLikely) steps.push(step);
  }
  return steps;
}

function* stepsWhere(path: Ascent, { from, to }: Steps, matches: (head: EntryHead) => boolean): Iterable<number> {
  for (let step = stepWhere(path, { from, to }, matches); step !== undefined; ) {
    yield step;
    step = stepWhere(path, { from: step + 1, to }, matches);
  }
}

function mayNameModel(head: EntryHead): boolean {
  if (head.type === "model_change") return isDefaultRole(head.role);
  return head.type === "message" && head.role === "assistant";
}

function isCompaction(entry: { readonly type: string }): boolean {
  return entry.type === "compaction";
}
