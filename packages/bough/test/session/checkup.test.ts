import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { asyncLog, type ProgressOptions, type Session } from "../../src/index.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { expand } from "../../src/testing/index.ts";
import { HeadStore } from "../../src/tree/head-store.ts";
import { sessionOn } from "../support/session-on.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function sessionOf(content: string): Promise<Session> {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, content);
  return await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process" })));
}

const codesOf = (found: readonly { readonly code: string; readonly entryId?: string }[]) =>
  found.map(({ code, entryId }) => [code, entryId]);

test("a sound session has no findings", async () => {
  const session = await sessionOf(expand('H()\nU(u1,-,"a")\nA(a1,u1,"b")\nK(p1,a1,u1,"S")\nL(l1,p1,u1,"x")'));
  expect(await session.check()).toEqual({ ok: true, entries: 4, diagnostics: [] });
});

test("every compaction is looked at, whatever the leaf", async () => {
  const session = await sessionOf(expand('H()\nU(u1,-,"a")\nK(p1,u1,zz,"S")\nU(u2,u1,"b")\nU(u3,gone,"c")'));
  const { ok, diagnostics } = await session.check();
  expect(ok).toBe(false);
  expect(codesOf(diagnostics)).toEqual([
    ["orphan", "u3"],
    ["unknown_first_kept", "p1"],
  ]);
});

test("a snapshot of other state than the path's is a state_mismatch", async () => {
  const state = { model: null, thinkingLevel: "high", activeToolNames: null, injectedRules: [] };
  const compaction = { type: "compaction", id: "p1", parentId: "u1", timestamp: "2026-01-01T00:00:03.000Z" };
  const line = JSON.stringify({ ...compaction, summary: "S", firstKeptEntryId: "p1", tokensBefore: 1, state });
  const session = await sessionOf(`${expand('H()\nU(u1,-,"a")')}${line}\n`);
  expect(codesOf((await session.check()).diagnostics)).toEqual([["state_mismatch", "p1"]]);
});

test.each([
  ["a check", (session: Session, options: ProgressOptions) => session.check(options)],
  ["the first count", (session: Session, options: ProgressOptions) => session.getSessionStats(options)],
])("%s tells how far it is and ends on abort", async (_, work) => {
  const session = await sessionOf(expand('H()\nU(u1,-,"a")'));
  await expect(work(session, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  const seen: [number, number][] = [];
  await work(session, { onProgress: (done, total) => seen.push([done, total]) });
  expect(seen.at(-1)).toEqual([1, 1]);
});

test("a compaction that keeps what is not on its path is found without a walk to the root", async () => {
  const walked = async (compactions: number) => {
    const branches = Array.from({ length: compactions }, (_, index) => {
      const [before, aside] = [index === 0 ? "u0" : `u${index}`, `s${index}`];
      return `U(${aside},${before},"aside")\nU(u${index + 1},${before},"on")\nK(k${index},u${index + 1},${aside},"S")`;
    });
    const session = await sessionOf(expand(`H()\nU(u0,-,"a")\n${branches.join("\n")}`));
    await session.readTree();
    const lookups = vi.spyOn(HeadStore.prototype, "ordinalOf");
    const { diagnostics } = await session.check();
    expect(diagnostics).toHaveLength(compactions);
    return lookups.mock.calls.length / compactions;
  };
  const few = await walked(50);
  vi.restoreAllMocks();
  expect(await walked(500)).toBeCloseTo(few, -1);
  vi.restoreAllMocks();
});
