import { contextOf, sameState, stateMismatch, stateSnapshot } from "../context/index.ts";
import { fromLeaf, stepWhere } from "../context/path-bodies.ts";
import { keepPointer, unknownFirstKept } from "../context/selection.ts";
import type { Diagnostic } from "../entry/diagnostic.ts";
import type { CompactionEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead, Position } from "../entry/head.ts";
import { goesBack, structureOf } from "../tree/structure.ts";
import { digestsIn, readWithBlobs } from "./blobs.ts";
import { contextStateAt } from "./context-reading.ts";
import type { Program } from "./program.ts";
import type { Progress } from "./progress.ts";
import type { ReadEntry, SessionState } from "./session-state.ts";

export interface CheckReport {
  readonly ok: boolean;
  readonly entries: number;
  /** Each finding once, whatever found it. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What the log said and what the tree shows; needs no bodies. */
export function structuralFindings(state: SessionState): readonly Diagnostic[] {
  const { tree } = state;
  return distinct([...state.diagnostics, ...tree.diagnostics, ...structureOf(tree).diagnostics]);
}

/** Reads every body once; what a compaction keeps and carries is looked up among heads. `observe` may throw to end it. */
export function* checkup(state: SessionState, observe: Progress): Program<CheckReport> {
  const found: Diagnostic[] = [];
  const findings = new BodyFindings(state);
  const visit = function* (batch: readonly ReadEntry[]): Program<void> {
    for (const { head, entry } of batch) found.push(...(yield* findings.of(head, entry)));
  };
  yield* state.eachBody(observe, visit, readShapes);
  const diagnostics = distinct([...structuralFindings(state), ...found]);
  return { ok: diagnostics.length === 0, entries: state.tree.size, diagnostics };
}

/** What bodies show, and what a compaction says of the entries above it. */
class BodyFindings {
  readonly #state: SessionState;
  readonly #goesBack: boolean;

  constructor(state: SessionState) {
    this.#state = state;
    this.#goesBack = goesBack(state.tree);
  }

  *of(head: EntryHead, entry: SessionTreeEntry): Program<readonly Diagnostic[]> {
    if (entry.type === "damaged" && head.type !== "damaged") {
      return [{ code: "damaged_entry", entryId: entry.id, message: `the body of ${entry.id} can't be read` }];
    }
    if (entry.type === "compaction") return yield* this.#ofCompaction(entry);
    return digestsIn(entry).map((digest) => missingBlob(entry.id, digest));
  }

  *#ofCompaction(compaction: CompactionEntry): Program<readonly Diagnostic[]> {
    const diagnostics = [
      ...ownFindings(compaction),
      ...(this.#keepsUnknown(compaction) ? [unknownFirstKept(compaction)] : []),
    ];
    const snapshot = stateSnapshot(compaction);
    if (!snapshot || sameState(snapshot, yield* contextStateAt(this.#state, compaction.parentId))) return diagnostics;
    return [...diagnostics, stateMismatch(compaction.id)];
  }

  #keepsUnknown(compaction: CompactionEntry): boolean {
    const keptId = keepPointer(compaction);
    if (keptId === undefined) return false;
    const kept = this.#state.get(keptId);
    if (kept === undefined) return true;
    const path = this.#state.ascent(compaction.parentId);
    const isPast = ({ position }: EntryHead) => this.#goesBack && position <= kept.position;
    const step = stepWhere(path, fromLeaf, (head) => head.id === keptId || isPast(head));
    return step === undefined || path.at(step)?.id !== keptId;
  }
}

/** Of what a compaction tells by itself. */
function ownFindings(compaction: CompactionEntry): readonly Diagnostic[] {
  return contextOf({ entries: [{ ...compaction, firstKeptEntryId: compaction.id }] }).diagnostics;
}

/** Nothing that is said of a body depends on how a long text in it goes on. */
function readShapes(positions: readonly Position[]): Program<readonly SessionTreeEntry[]> {
  return readWithBlobs(positions, "shape");
}

function missingBlob(entryId: string, digest: string): Diagnostic {
  return { code: "missing_blob", entryId, message: `blob:sha256:${digest} is not there` };
}

/** Of several findings of one code about one entry or place, the one that knows its place best. */
function distinct(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const findings = new Map<string, Diagnostic>();
  for (const finding of found) {
    const { code, entryId, byteStart } = finding;
    const about = code === "duplicate_id" || entryId === undefined ? byteStart : entryId;
    const key = `${code} ${about}`;
    const known = findings.get(key);
    if (!known || known.byteStart === undefined) findings.set(key, finding);
  }
  return [...findings.values()];
}
