import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/index.ts";
import { asyncLog, type Session } from "../../src/index.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { header } from "../storage/jsonl/records.ts";
import { sessionOn } from "../support/session-on.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const timestamp = "2026-01-01T00:00:00.000Z";
const bodies = {
  message: { message: { role: "user", content: "said", timestamp: 1 } },
  model_change: { provider: "p", modelId: "m" },
  thinking_level_change: { thinkingLevel: "high" },
  compaction: { summary: "left", tokensBefore: 1, firstKeptEntryId: "e0" },
};

/** Entries `e0` to `e5`, each of which hangs from any of them, from itself, or from none. */
const histories = (types: readonly (keyof typeof bodies)[]) =>
  fc.array(fc.record({ type: fc.constantFrom(...types), parent: fc.integer({ min: -1, max: 5 }) }), {
    minLength: 6,
    maxLength: 6,
  });

type History = readonly { readonly type: keyof typeof bodies; readonly parent: number }[];

async function sessionOf(history: History): Promise<Session> {
  const path = join(temporaryFolder(), "session.jsonl");
  const entries = history.map(({ type, parent }, at) => {
    return { type, id: `e${at}`, parentId: parent === -1 ? null : `e${parent}`, timestamp, ...bodies[type] };
  });
  writeFileSync(path, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
  return await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process" })));
}

test("parents that run in a circle keep nobody from reading", async () => {
  await fc.assert(
    fc.asyncProperty(histories(["message", "model_change", "thinking_level_change", "compaction"]), async (history) => {
      const session = await sessionOf(history);
      const ids = (await session.getEntries()).map(({ id }) => id);
      for (const leafId of ids) {
        const attempt = session.at(leafId);
        await attempt.inspectContext();
        await attempt.getActivePath();
        await attempt.buildContextEntries();
        await attempt.getPathToRootOrCompaction(leafId);
      }
      await session.appendCompaction({ summary: "all", tokensBefore: 1 });
      await session.close();
    }),
    { numRuns: 300 },
  );
});

test("a context has what the path has, also where the path was cut since it came back to itself", async () => {
  await fc.assert(
    fc.asyncProperty(histories(["message", "model_change", "thinking_level_change"]), async (history) => {
      const session = await sessionOf(history);
      for (const leafId of history.keys()) {
        const attempt = session.at(`e${leafId}`);
        const { messages, model, thinkingLevel } = buildSessionContext(await attempt.getBranch());
        expect(await attempt.buildContext()).toMatchObject({ messages, model, thinkingLevel });
      }
      await session.close();
    }),
    { numRuns: 300 },
  );
});
