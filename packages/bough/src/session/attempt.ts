import type { EntryDraft, SessionTreeEntry } from "../entry/entry.ts";
import { jsonText } from "../entry/json.ts";
import { jsonValue } from "../entry/json-value.ts";
import { isReservedCustomType, kindOf, reservedCustomType } from "../entry/kind.ts";
import { requireChild } from "../entry/validate.ts";
import { SessionError } from "../errors.ts";
import type { Leaf } from "../tree/session-tree.ts";
import type { AppendRequest, AppendResult, Cursor, CursorStep } from "./append-request.ts";
import { type EntryFactory, newPlace, placed } from "./entry-factory.ts";
import type { AppendOutcome, EntryRecord, RecordBatch } from "./entry-log.ts";
import { noEntry, unknownParent } from "./missing.ts";
import type { Program } from "./program.ts";
import { placedDraft, placedRecord, recordOf, type SerialisedDraft } from "./record.ts";
import { sameJson } from "./same-json.ts";

/** What a request is made ready against. */
export interface Ground {
  readonly factory: EntryFactory;
  has(id: string): boolean;
  claim(id: string): boolean;
  entry(id: string): Program<SessionTreeEntry | undefined>;
  findPosition(id: string): Program<Leaf | undefined>;
  positionOf(id: string): Program<Leaf>;
}

/** One request made ready: what to write, and the step its cursor has made in advance. */
export interface Attempt {
  readonly records: readonly EntryRecord[];
  readonly ids: readonly string[];
  /** Which of them should leave the file's leaf where it is. */
  readonly marks: readonly string[];
  /** The file's leaf once this is written. */
  readonly fileLeaf: Leaf;
  /** How its cursor's tip went already. */
  readonly step?: CursorStep;
  readonly refused?: { readonly error: unknown };
}

/**
 * `fileLeaf`: the file's leaf after everything prepared before. Refusals are in the attempt, never thrown. Most requests
 * need nothing of the log and are no programs.
 */
export function prepare(request: AppendRequest, session: Ground, fileLeaf: Leaf): Attempt | Program<Attempt> {
  if (request.kind !== "drafts") return prepareWithLog(request, session, fileLeaf);
  try {
    return prepareDrafts(request, session);
  } catch (error) {
    return refusal(error, fileLeaf);
  }
}

function* prepareWithLog(
  request: Exclude<AppendRequest, { kind: "drafts" }>,
  session: Ground,
  fileLeaf: Leaf,
): Program<Attempt> {
  try {
    switch (request.kind) {
      case "children":
        return yield* prepareChildren(request, session);
      case "mark":
        return prepareMark(request.draft, session, fileLeaf);
      case "batch":
        return prepareBatch(request, session, fileLeaf);
      case "move":
        return yield* prepareMove(request, session, fileLeaf);
      case "entries":
        return yield* prepareEntries(request.entries, request.cursor, session, fileLeaf);
    }
  } catch (error) {
    return refusal(error, fileLeaf);
  }
}

/**
 * Results in the order of `attempts`, as far as they were made; those that were not hung from nothing yet and have their
 * cursors back, to be made again. With `refusal` nothing at all was written and every attempt fails.
 */
export function settle(
  attempts: readonly Attempt[],
  outcomes: readonly AppendOutcome[],
  refusal?: unknown,
): AppendResult[] {
  const results: AppendResult[] = [];
  let written = 0;
  let failedAt: number | undefined;
  for (let index = 0; index < attempts.length; index++) {
    const attempt = attempts[index] as Attempt;
    const needless = failedAt === undefined ? stored : undefined;
    const outcome = attempt.records.length > 0 ? outcomes[written++] : needless;
    if (!outcome && !attempt.refused) {
      failedAt ??= index;
      while (refusal !== undefined && results.length < attempts.length) results.push(failure(refusal, none));
      break;
    }
    results.push(resultOf(attempt, outcome));
    if (outcome?.status === "failed") failedAt ??= index;
  }
  if (failedAt !== undefined) takeBack(attempts.slice(failedAt));
  return results;
}

function resultOf({ ids, records, step, refused }: Attempt, outcome: AppendOutcome | undefined): AppendResult {
  if (refused) return failure(refused.error, none);
  return outcome?.status === "failed" ? failure(outcome.error, ids) : { status: "stored", ids, written: records, step };
}

function failure(error: unknown, ids: readonly string[]): AppendResult {
  return { status: "failed", error, ids };
}

function takeBack(attempts: readonly Attempt[]): void {
  for (const { step } of attempts.toReversed()) if (step) step.cursor.tip = step.from;
}

const stored = { status: "stored" } as const;
const none: readonly string[] = [];

/** What is to be written for them, a batch for each that writes anything. */
export function batchesOf(attempts: readonly Attempt[]): RecordBatch[] {
  const batches = attempts.map(({ records }) => records);
  return batches.some(isEmpty) ? batches.filter((records) => !isEmpty(records)) : batches;
}

function isEmpty(records: RecordBatch): boolean {
  return records.length === 0;
}

/** What of that should leave the file's leaf where it is. */
export function marksOf(attempts: readonly Attempt[]): ReadonlySet<string> {
  const areNone = attempts.every(({ marks }) => marks.length === 0);
  return areNone ? noMarks : new Set(attempts.flatMap(({ marks }) => marks));
}

const noMarks: ReadonlySet<string> = new Set();

/** Of a request that was not made ready. */
export function refusal(error: unknown, fileLeaf: Leaf): Attempt {
  return { ...nothing(fileLeaf), refused: { error } };
}

function nothing(fileLeaf: Leaf): Attempt {
  return { records: [], ids: [], marks: [], fileLeaf };
}

function prepareDrafts({ cursor, drafts }: Extract<AppendRequest, { kind: "drafts" }>, session: Ground): Attempt {
  const records: EntryRecord[] = [];
  const ids: string[] = [];
  let parentId = cursor.tip;
  for (let at = 0; at < drafts.length; at++) {
    const { id, timestamp } = newPlace(session);
    records.push(placedDraft(drafts[at] as SerialisedDraft, { id, parentId, timestamp }));
    ids.push(id);
    parentId = id;
  }
  return { records, ids, marks: none, fileLeaf: parentId, step: advance(cursor, parentId) };
}

function* prepareChildren(
  { cursor, under, expected, compose }: Extract<AppendRequest, { kind: "children" }>,
  session: Ground,
): Program<Attempt> {
  const records: EntryRecord[] = [];
  const left = cursor.tip;
  if (expected && expected.leaf !== left) throw leafMoved(expected.leaf, left);
  let parentId = under ? yield* positionOrRoot(under.target, session) : left;
  for (const composer of compose) {
    const { id, timestamp } = newPlace(session);
    const composed = composer({ id, parentId, left });
    const draft = isProgram(composed) ? yield* composed : composed;
    records.push(placedRecord(draft, { id, parentId, timestamp }));
    parentId = id;
  }
  const ids = records.map(({ head }) => head.id);
  return { records, ids, marks: [], fileLeaf: parentId, step: advance(cursor, parentId) };
}

export function isProgram<T extends object>(composed: T | Program<T>): composed is Program<T> {
  return Symbol.iterator in composed;
}

function prepareMark(draft: EntryDraft, session: Ground, fileLeaf: Leaf): Attempt {
  const place = { ...newPlace(session), parentId: fileLeaf };
  requireTarget(placed(draft, place), session);
  return { ...nothing(fileLeaf), records: [placedRecord(draft, place)], ids: [place.id], marks: [place.id] };
}

function prepareBatch(
  { cursor, items }: Extract<AppendRequest, { kind: "batch" }>,
  session: Ground,
  fileLeaf: Leaf,
): Attempt {
  const records = new Map<string, EntryRecord>();
  const marks: string[] = [];
  let [tip, position] = [cursor.tip, fileLeaf];
  for (const item of items) {
    const place = newPlace(session);
    const id = item.id ?? place.id;
    if (records.has(id) || (item.id !== undefined && !session.claim(id))) throw taken(id);
    if (item.kind === "operation") {
      const { name, data } = item;
      const draft: EntryDraft = {
        type: "custom",
        customType: reservedCustomType(name),
        ...(data !== undefined && { data }),
      };
      records.set(id, placedRecord(draft, { ...place, id, parentId: position }));
      marks.push(id);
    } else {
      requireChild(item.draft);
      records.set(id, placedRecord(item.draft, { ...place, id, parentId: tip }));
      tip = position = id;
    }
  }
  const ids = [...records.keys()];
  const step = tip === cursor.tip ? undefined : advance(cursor, tip);
  return { records: [...records.values()], ids, marks, fileLeaf: position, ...(step && { step }) };
}

function* prepareMove(
  { cursor, target, record }: Extract<AppendRequest, { kind: "move" }>,
  session: Ground,
  fileLeaf: Leaf,
): Program<Attempt> {
  const position = yield* positionOrRoot(target, session);
  if (position === cursor.tip) return nothing(fileLeaf);
  if (!record) return { ...nothing(fileLeaf), step: advance(cursor, position) };
  const place = { ...newPlace(session), parentId: position };
  const records = [placedRecord({ type: "leaf", targetId: position }, place)];
  return { records, ids: [place.id], marks: [], fileLeaf: position, step: advance(cursor, position) };
}

function* prepareEntries(
  entries: readonly SessionTreeEntry[],
  cursor: Cursor | undefined,
  session: Ground,
  fileLeaf: Leaf,
): Program<Attempt> {
  const batch = new Map<string, EntryRecord>();
  for (const entry of entries) {
    const record = recordOf(entry);
    if (yield* isStored(record, batch, session)) continue;
    requireParent(entry, batch, session);
    if (!batch.has(entry.id)) requireTarget(entry, session, batch);
    batch.set(entry.id, record);
  }
  const records = [...batch.values()];
  const ids = entries.map((entry) => entry.id);
  const last = records.at(-1)?.entry;
  const position = last && (yield* positionAfter(last, batch, session));
  if (position === undefined) return { ...nothing(fileLeaf), records, ids };
  return { records, ids, marks: [], fileLeaf: position, ...(cursor && { step: advance(cursor, position) }) };
}

function* isStored(record: EntryRecord, batch: ReadonlyMap<string, EntryRecord>, session: Ground): Program<boolean> {
  const { id } = record.head;
  const twin = batch.get(id)?.entry ?? (yield* session.entry(id));
  if (!twin) return false;
  if (sameJson(jsonValue(jsonText(twin)), jsonValue(record.json))) return true;
  throw taken(id);
}

function taken(id: string): SessionError<"already_exists"> {
  return new SessionError("already_exists", `another entry has the id ${id}`, { what: "entry", id });
}

function requireParent(entry: SessionTreeEntry, batch: ReadonlyMap<string, EntryRecord>, session: Ground): void {
  const { parentId } = entry;
  if (parentId === null || batch.has(parentId) || session.has(parentId)) return;
  throw unknownParent(parentId);
}

function requireTarget(entry: SessionTreeEntry, session: Ground, batch?: ReadonlyMap<string, EntryRecord>): void {
  if (entry.type === "custom" && isReservedCustomType(entry.customType)) {
    const reason = `custom types that begin with "bough." are bough's own`;
    throw new SessionError("invalid_entry", reason, { field: "customType", reason });
  }
  if (entry.type !== "label" && entry.type !== "leaf") return;
  const { targetId } = entry;
  if (targetId !== null && !batch?.has(targetId) && !session.has(targetId)) throw noEntry(targetId);
}

function advance(cursor: Cursor, to: Leaf): CursorStep {
  const from = cursor.tip;
  cursor.tip = to;
  return { cursor, from, to };
}

/** The position of an entry that is about to be written with others. */
function* positionAfter(
  last: SessionTreeEntry,
  batch: ReadonlyMap<string, EntryRecord>,
  session: Ground,
): Program<Leaf | undefined> {
  const seen = new Set<string>();
  let entry = last;
  while (kindOf(entry) === "mark") {
    seen.add(entry.id);
    const next: Leaf = entry.type === "leaf" ? entry.targetId : entry.parentId;
    if (next === null) return null;
    const inBatch = batch.get(next)?.entry;
    if (!inBatch || seen.has(next)) return yield* session.findPosition(next);
    entry = inBatch;
  }
  return entry.id;
}

function leafMoved(expected: Leaf, actual: Leaf): SessionError<"leaf_moved"> {
  return new SessionError("leaf_moved", `the leaf is no longer ${expected}`, { expected, actual });
}

function* positionOrRoot(target: Leaf, session: Ground): Program<Leaf> {
  return target === null ? null : yield* session.positionOf(target);
}
