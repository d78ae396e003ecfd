import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EntryHead } from "../../src/entry/head.ts";
import { isBoughError, SessionError } from "../../src/errors.ts";
import type { CopiedLines, RecordBatch, SyncEntryLog } from "../../src/session/entry-log.ts";
import { type ForkTarget, forkCopies } from "../../src/session/fork.ts";
import { type ForkContent, ForkedEntries, isCopied } from "../../src/session/forked-entries.ts";
import { type Program, readLines, runSync } from "../../src/session/program.ts";
import { SessionState } from "../../src/session/session-state.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { pathTo } from "../../src/tree/path.ts";
import { harmedSession } from "../support/harmed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Content = ForkContent<RecordBatch | CopiedLines>;
type Forking = (state: SessionState, target: ForkTarget) => Content;

/** Entry by entry, as whoever reads what a fork is would write it down. */
function forkOneByOne(state: SessionState, { entryId }: ForkTarget): Content {
  const { tree } = state;
  const leaf = entryId === undefined ? tree.leaf : tree.positionOf(entryId);
  if (leaf === undefined) throw new SessionError("invalid_fork_target", "", { entryId: "", reason: "" });
  const heads = (entryId === undefined ? [...tree.heads()] : [...pathTo(tree, leaf).heads]).filter(isCopied);
  const copied = new Set(heads.map(({ id }) => id));
  const rootId = entryId === undefined ? undefined : heads[0]?.id;
  const copy = new ForkedEntries(tree, { copied, leaf, rootId, lastId: heads.at(-1)?.id });
  const pieces = heads.map((head) => piece(state, head, copy));
  return { inheritedEntries: heads.length, pieces: [...pieces, given(copy.marks(state.factory))] };
}

function* piece(state: SessionState, head: EntryHead, copy: ForkedEntries): Program<RecordBatch | CopiedLines> {
  const runs = [{ first: head.position, last: head.position }];
  const lines = copy.isVerbatim(head) ? yield* readLines(runs) : undefined;
  return lines ? { lines } : (yield* state.entries([head])).map((entry) => copy.recordOf(entry));
}

// biome-ignore lint/correctness/useYield: nothing is asked for
function* given(records: RecordBatch): Program<RecordBatch> {
  return records;
}

/** What is written behind the header. */
function copied(log: SyncEntryLog, target: ForkTarget, fork: Forking): unknown {
  let ids = 0;
  const state = new SessionState(log, { newId: () => `new-${ids++}`, isUnique: true, now: () => 0 });
  runSync(state.refresh(), log);
  const { inheritedEntries, pieces } = fork(state, target);
  let text = "";
  for (const program of pieces) {
    const piece = runSync(program, log);
    if ("lines" in piece) for (const bytes of piece.lines) text += Buffer.from(bytes).toString("latin1");
    else for (const { json } of piece) text += Buffer.from(`${json}\n`).toString("latin1");
  }
  return { inheritedEntries, text };
}

function outcome(log: SyncEntryLog, target: ForkTarget, fork: Forking): unknown {
  try {
    return copied(log, target, fork);
  } catch (error) {
    if (isBoughError(error)) return error.code;
    throw error;
  } finally {
    log.close();
  }
}

/** The whole of it, and paths to some of its entries. */
function targetsIn(log: SyncEntryLog): readonly ForkTarget[] {
  const ids = log
    .changes("whole")
    .heads.filter(isCopied)
    .map(({ id }) => id);
  log.close();
  return [
    {},
    ...[1, 0.6].flatMap((part) => ids.slice(Math.ceil(part * ids.length) - 1)[0] ?? []).map((entryId) => ({ entryId })),
  ];
}

const runs = process.env.BOUGH_CAMPAIGN ? 5000 : 300;

test(`a fork in chains is, to the byte, one entry by entry (${runs} files)`, () => {
  const folder = temporaryFolder();
  let forks = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const path = join(folder, `${seed}.jsonl`);
    writeFileSync(path, harmedSession(seed));
    const first = [300, 1000, 4000][seed % 3] as number;
    const endSizes = { first, most: 3 * first, near: (seed % 2) * 6 * first };
    const open = () => JsonlLog.open(path, { durability: "process", endSizes });
    for (const target of targetsIn(open())) {
      const expected = outcome(open(), target, forkOneByOne);
      if (typeof expected === "object") forks++;
      expect(outcome(open(), target, forkCopies), `seed ${seed}, ${target.entryId}`).toEqual(expected);
    }
  }
  expect(forks).toBeGreaterThan(2 * runs);
});
