import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../src/entry/diagnostic.ts";
import { Session } from "../../src/index.ts";
import { SessionHost } from "../../src/session/session-host.ts";
import { SessionStorage } from "../../src/session/session-storage.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import type { EndSizes } from "../../src/storage/jsonl/session-file.ts";
import { eagerLog, smallSizes } from "../support/eager-log.ts";
import { harmedSession } from "../support/harmed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function eagerly(path: string): Promise<Session> {
  return new Session(new SessionStorage(await SessionHost.open(eagerLog(path))));
}

async function lazily(path: string, endSizes: EndSizes): Promise<Session> {
  const log = JsonlLog.open(path, { durability: "process", endSizes });
  return new Session(new SessionStorage(SessionHost.openSync(log)));
}

/** Each thing is asked of a session that was opened for it, so that none has been told by another. */
const questions: Readonly<Record<string, (session: Session, ids: readonly string[]) => Promise<unknown>>> = {
  leaf: async (session) => session.leafId,
  context: async (session) => withoutLines(await session.inspectContext()),
  "context entries": (session) => session.buildContextEntries(),
  branch: (session) => session.getBranch(),
  "path from compaction": (session) => session.getPathToRootOrCompaction(session.leafId),
  entries: (session) => session.getEntries(),
  one: (session, ids) => session.getEntry(ids[ids.length >> 1] ?? "none"),
  none: (session) => session.getEntry("none"),
  name: (session) => session.getSessionName(),
  labels: (session, ids) => Promise.all(ids.map((id) => session.getLabel(id))),
  statistics: (session) => session.getSessionStats(),
  children: (session, ids) => Promise.all(ids.map((id) => session.getChildren(id))),
  branches: (session) => session.branches(),
  nodes: (session) => session.getTree(),
  check: async (session) => withoutLines(await session.check()),
  contexts: (session, ids) =>
    Promise.all(ids.filter((_, index) => index % 7 === 0).map((leafId) => session.buildContext({ leafId }))),
  "custom state": (session) =>
    session.stateAt(session.leafId, "note", (noted: readonly string[] = [], { id }) => [...noted, id]),
  moves: (session, ids) =>
    Promise.all(ids.slice(0, 9).map((id) => session.storage.read(session.storage.host.state.findPosition(id)))),
};

/** Lines are numbered where they are known, and findings about different records may be made in another order. */
function withoutLines<T extends { readonly diagnostics: readonly Diagnostic[] }>(report: T) {
  const diagnostics = report.diagnostics.map(({ line: _, message: __, ...rest }) => JSON.stringify(rest)).sort();
  return { ...report, diagnostics };
}

const runs = process.env.BOUGH_CAMPAIGN ? 20_000 : 300;

test(`a file that is read from its end tells what one tells that is read whole, damaged or not (${runs} files)`, async () => {
  for (let seed = 1; seed <= runs; seed++) {
    const path = join(temporaryFolder(), "s.jsonl");
    const bytes = harmedSession(seed);
    writeFileSync(path, bytes);
    const eager = await eagerly(path);
    const ids = (await eager.getEntries()).map(({ id }) => id);
    for (const [name, ask] of Object.entries(questions)) {
      const session = await lazily(path, smallSizes(seed));
      const told = await ask(session, ids).catch((error: unknown) => error);
      const expected = await ask(eager, ids).catch((error: unknown) => error);
      expect(told, `seed ${seed}, ${name}`).toEqual(expected);
      await session.close();
    }
    await eager.close();
  }
});
