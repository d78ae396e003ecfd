import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isBoughError } from "../../src/errors.ts";
import type { SyncEntryLog } from "../../src/session/entry-log.ts";
import { forkCopies } from "../../src/session/fork.ts";
import { runSync } from "../../src/session/program.ts";
import { SessionState } from "../../src/session/session-state.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { harmedSession } from "../support/harmed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What is written behind the header of a copy of all of `log`. */
function copied(log: SyncEntryLog): { readonly inheritedEntries: number; readonly text: string } {
  let ids = 0;
  const state = new SessionState(log, { newId: () => `new-${ids++}`, isUnique: true, now: () => 0 });
  runSync(state.refresh(), log);
  const { inheritedEntries, pieces } = runSync(forkCopies(state, {}), log);
  let text = "";
  for (const program of pieces) {
    const piece = runSync(program, log);
    if ("lines" in piece) for (const bytes of piece.lines) text += Buffer.from(bytes).toString("latin1");
    else for (const { json } of piece) text += Buffer.from(`${json}\n`).toString("latin1");
  }
  return { inheritedEntries, text };
}

function outcome(log: SyncEntryLog): unknown {
  try {
    return copied(log);
  } catch (error) {
    if (isBoughError(error)) return error.code;
    throw error;
  } finally {
    log.close();
  }
}

/** A log that never heard of surveys: the copy is planned by the heads of the whole tree. */
function unsurveyed(log: JsonlLog): SyncEntryLog {
  return {
    header: log.header,
    older: log.older,
    changes: (view) => log.changes(view),
    read: (positions, use) => log.read(positions, use),
    storedLines: (positions) => log.storedLines(positions),
    append: (batches) => log.append(batches),
    sync: () => log.sync(),
    syncNow: () => log.syncNow(),
    close: () => log.close(),
  };
}

const runs = process.env.BOUGH_CAMPAIGN ? 5000 : 300;

test(`a copy by survey is, to the byte, the copy by heads (${runs} files)`, () => {
  const folder = temporaryFolder();
  let surveyed = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const path = join(folder, `${seed}.jsonl`);
    writeFileSync(path, harmedSession(seed));
    const open = (first: number) => JsonlLog.open(path, { durability: "process", blocks: { first, most: 3 * first } });
    const first = [300, 1000, 4000][seed % 3] as number;
    const log = open(first);
    if (log.survey()) surveyed++;
    expect(outcome(log), `seed ${seed}`).toEqual(outcome(unsurveyed(open(first))));
  }
  expect(surveyed).toBeGreaterThan(runs / 4);
});
