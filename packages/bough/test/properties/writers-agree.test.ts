import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isBoughError, Session } from "../../src/index.ts";
import { SessionHost } from "../../src/session/session-host.ts";
import { SessionStorage } from "../../src/session/session-storage.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { randomCommands, type SessionCommand } from "../../src/testing/session-command.ts";
import { eagerLog, smallSizes } from "../support/eager-log.ts";
import { harmedSession } from "../support/harmed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Ids and times that tell of how many entries there were before, and nothing else. */
function countingFactory() {
  let ids = 0;
  return { newId: () => `new-${ids++}`, isUnique: true as const, now: () => 1000 * ids };
}

async function eagerly(path: string): Promise<Session> {
  return new Session(new SessionStorage(await SessionHost.open(eagerLog(path), options())));
}

function lazily(path: string, seed: number): Session {
  const log = JsonlLog.open(path, { durability: "process", endSizes: smallSizes(seed) });
  return new Session(new SessionStorage(SessionHost.openSync(log, options())));
}

function options() {
  return { durability: "process", factory: countingFactory() } as const;
}

/** Several attempts in a session, and the ids that commands can name. */
interface Caller {
  readonly attempts: Session[];
  readonly ids: string[];
  current: number;
}

async function answer(caller: Caller, command: SessionCommand): Promise<unknown> {
  try {
    const id = await obey(caller, command);
    if (id !== undefined) caller.ids.push(id);
    return id ?? "done";
  } catch (error) {
    if (isBoughError(error)) return { code: error.code };
    throw error;
  }
}

async function obey(caller: Caller, command: SessionCommand): Promise<string | undefined> {
  const session = caller.attempts[caller.current] as Session;
  const idOf = (target: number | "nowhere") =>
    target === "nowhere" ? target : (caller.ids[target % caller.ids.length] ?? "nowhere");
  switch (command.do) {
    case "append":
      return await session.appendEntry(command.draft);
    case "label":
      return await session.appendLabel(idOf(command.target), command.text);
    case "name":
      return await session.appendSessionName(command.name);
    case "usage":
      return await session.appendUsage({ model: "large", usage: usageOf(command.input) } as never);
    case "edit": {
      const replacement = command.content === null ? null : { content: command.content };
      return await session.appendContextEdit(idOf(command.target), replacement);
    }
    case "compact": {
      const firstKeptEntryId = command.kept === undefined ? undefined : caller.ids.at(-1 - command.kept);
      const kept = firstKeptEntryId !== undefined && { firstKeptEntryId };
      return await session.appendCompaction({ summary: command.summary, tokensBefore: 1, ...kept });
    }
    case "move": {
      const target = command.target === null ? null : idOf(command.target);
      return await session.moveTo(target, command.summary === undefined ? undefined : { summary: command.summary });
    }
    case "at":
      caller.attempts.push(session.at(command.target === null ? null : idOf(command.target)));
      caller.current = caller.attempts.length - 1;
      return undefined;
    case "switch":
      caller.current = command.to % caller.attempts.length;
      return undefined;
    default:
      return undefined;
  }
}

function usageOf(input: number) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input, cost };
}

const runs = process.env.BOUGH_CAMPAIGN ? 10_000 : 200;

test(`a file that is read from its end is continued as one that is read whole (${runs} files)`, async () => {
  let refused = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const folder = temporaryFolder();
    const paths = [join(folder, "eager.jsonl"), join(folder, "lazy.jsonl")] as const;
    for (const path of paths) writeFileSync(path, harmedSession(seed));
    const sessions = [await eagerly(paths[0]), lazily(paths[1], seed)] as const;
    const ids = (await (await eagerly(paths[0])).getEntries()).map(({ id }) => id);
    const [eager, lazy] = sessions.map((session): Caller => ({ attempts: [session], ids: [...ids], current: 0 })) as [
      Caller,
      Caller,
    ];
    for (const [index, command] of randomCommands(seed, 12).entries()) {
      const expected = await answer(eager, command);
      if (typeof expected === "object") refused++;
      expect(await answer(lazy, command), `seed ${seed}, ${index}: ${command.do}`).toEqual(expected);
    }
    expect(readFileSync(paths[1], "utf8"), `seed ${seed}`).toBe(readFileSync(paths[0], "utf8"));
    for (const [index, attempt] of eager.attempts.entries()) {
      expect(lazy.attempts[index]?.leafId, `seed ${seed}`).toBe(attempt.leafId);
      expect(await lazy.attempts[index]?.buildContext(), `seed ${seed}`).toEqual(await attempt.buildContext());
    }
    await Promise.all(sessions.map((session) => session.close()));
  }
  expect(refused).toBeGreaterThan(0);
});
