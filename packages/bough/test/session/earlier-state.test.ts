import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { isBoughError, Session, type SessionContext, SessionHost, SessionStorage, user } from "../../src/index.ts";
import { asyncLog } from "../../src/session/async-log.ts";
import type { EntryLog } from "../../src/session/entry-log.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { JsonlLog, JsonlStorage } from "../../src/storage/jsonl/index.ts";
import { longSession } from "../support/counted-session.ts";

const beginning = [
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "active_tools_change", activeToolNames: ["read", "bash"] },
  { type: "ttsr_injection", injectedRules: ["first"] },
  { type: "model_change", provider: "acme", modelId: "large" },
  { type: "ttsr_injection", injectedRules: ["second"] },
];
const beginningState = {
  model: { provider: "acme", modelId: "large" },
  thinkingLevel: "high",
  activeToolNames: ["read", "bash"],
  injectedRules: ["first", "second"],
};
const pathOfLong = () => longSession(2000, 10, { carried: null, beginning }).path;

function stateOf({ model, thinkingLevel, activeToolNames, injectedRules }: SessionContext) {
  return { model, thinkingLevel, activeToolNames, injectedRules };
}

function isLookedForLater(context: SessionContext): boolean {
  return Object.getOwnPropertyDescriptor(context, "injectedRules")?.get !== undefined;
}

test("both faces find what only entries above the window tell", async () => {
  const path = pathOfLong();
  const session = new Session(await JsonlStorage.open(path));
  const manager = SessionManager.open(path);
  for (const context of [await session.buildContext(), manager.buildSessionContext()]) {
    expect(isLookedForLater(context)).toBe(true);
    expect(stateOf(context)).toEqual(beginningState);
  }
  await Promise.all([session.close(), manager.close()]);
});

test("a context stays a value: it can be copied, compared and stored, and later entries don't change it", async () => {
  const manager = SessionManager.open(pathOfLong());
  const context = manager.buildSessionContext();
  manager.appendMessage(user("one more"));
  manager.appendThinkingLevelChange("low");
  expect(stateOf(context)).toEqual(beginningState);
  expect(JSON.parse(JSON.stringify(context))).toMatchObject(beginningState);
  expect({ ...context }).toEqual(context);
  expect(structuredClone(context)).toEqual(context);
  expect(stateOf(manager.buildSessionContext())).toEqual({ ...beginningState, thinkingLevel: "low" });
  await manager.close();
});

test("it can be asked after its session was closed", async () => {
  const path = pathOfLong();
  const session = new Session(await JsonlStorage.open(path));
  const context = await session.buildContext();
  await session.close();
  expect(stateOf(context)).toEqual(beginningState);
});

test("what was deleted while it was closed is not there any more, and what was found stays", async () => {
  const path = pathOfLong();
  const manager = SessionManager.open(path);
  const context = manager.buildSessionContext();
  expect(context.thinkingLevel).toBe("high");
  await manager.close();
  rmSync(path);
  expect(context.thinkingLevel).toBe("high");
  expect(() => context.activeToolNames).toThrow(expect.toSatisfy((error) => isBoughError(error, "not_found")));
});

test("a deleted session that is open can still be asked", async () => {
  const path = pathOfLong();
  const manager = SessionManager.open(path);
  const context = manager.buildSessionContext();
  rmSync(path);
  expect(stateOf(context)).toEqual(beginningState);
  await manager.close();
});

test("over a log that has to be waited for it is read with the window", async () => {
  const waited: EntryLog = { ...asyncLog(JsonlLog.open(pathOfLong(), { durability: "process" })) };
  const session = new Session(new SessionStorage(await SessionHost.open(waited)));
  const context = await session.buildContext();
  expect(isLookedForLater(context)).toBe(false);
  expect(stateOf(context)).toEqual(beginningState);
  await session.close();
});
