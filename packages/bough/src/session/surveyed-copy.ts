import type { EntryHead, Position } from "../entry/head.ts";
import { kindOf } from "../entry/kind.ts";
import { pathTo } from "../tree/path.ts";
import { type Leaf, SessionTree } from "../tree/session-tree.ts";
import type { Chain, CopiedLines, RecordBatch, Survey } from "./entry-log.ts";
import { type ForkContent, ForkedEntries, isCopied, marksOf } from "./forked-entries.ts";
import type { Program } from "./program.ts";
import type { SessionState } from "./session-state.ts";

const message = { type: "message" };

/** The whole of a log, of which only what is no message has to be looked at. */
export function surveyedCopy(state: SessionState, found: Survey): ForkContent<RecordBatch | CopiedLines> {
  const others = new SessionTree(state.header);
  for (const { head } of found.chains) if (head.type !== "message") others.add(head);
  const isMark = (id: string) => kindOf(others.get(id) ?? message) === "mark";
  const kept = found.chains.filter(({ head }) => isCopied(head));
  let inOrder: boolean | undefined;
  const scope = {
    copied: { has: (id: string) => found.chainOf.has(id) && !isMark(id) },
    leaf: state.leaf,
    lastId: kept.at(-1)?.lastId,
    above: (id: string) => {
      inOrder ??= isInOrder(found);
      return inOrder ? chainsAbove(found, id) : pathTo(state.tree, id).heads.toReversed();
    },
  };
  return {
    inheritedEntries: kept.reduce((sum, { count }) => sum + count, 0),
    pieces: surveyedPieces(state, found, kept, new ForkedEntries(others, scope)),
  };
}

/** Whether every parent stands before its children: then there are no cycles. */
function isInOrder({ chains, chainOf }: Survey): boolean {
  return chains.every(({ head }) => {
    const parent = head.parentId === null ? undefined : chainOf.get(head.parentId);
    return parent === undefined || parent.head.position < head.position;
  });
}

function* chainsAbove({ chainOf }: Survey, id: string): Generator<EntryHead, void> {
  for (let current: Leaf = id; current !== null; ) {
    const head: EntryHead | undefined = chainOf.get(current)?.head;
    if (head) yield head;
    current = head?.parentId ?? null;
  }
}

function* surveyedPieces(
  state: SessionState,
  found: Survey,
  kept: readonly Chain[],
  copy: ForkedEntries,
): Generator<Program<RecordBatch | CopiedLines>, void, void> {
  let run = { start: 0, end: 0 };
  for (const chain of kept) {
    const { head, headEnd, end } = chain;
    const start = copy.isVerbatim(head) ? head.position : headEnd;
    if (run.end === head.position && start === head.position) {
      run.end = end;
      continue;
    }
    if (run.end > run.start) yield surveyedLines(found, run);
    if (start === headEnd) yield surveyedRecord(found, chain, copy);
    run = { start, end };
  }
  if (run.end > run.start) yield surveyedLines(found, run);
  yield marksOf(state, copy);
}

// biome-ignore lint/correctness/useYield: a survey reads without asking
function* surveyedLines(found: Survey, { start, end }: { start: Position; end: Position }): Program<CopiedLines> {
  return { lines: found.lines(start, end) };
}

// biome-ignore lint/correctness/useYield: a survey reads without asking
function* surveyedRecord(found: Survey, chain: Chain, copy: ForkedEntries): Program<RecordBatch> {
  return [copy.recordOf(found.read(chain))];
}
