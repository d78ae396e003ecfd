import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { created, fileOf, idsOf, linesIn, refusal, typesOf } from "./managers.ts";

describe("a new session", () => {
  test("pi-46 omp-12 has no leaf, no branch and no tree", () => {
    const manager = created();
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getLeafEntry()).toBeUndefined();
    expect(manager.getBranch()).toEqual([]);
    expect(manager.getTree()).toEqual([]);
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getEntryCount()).toBe(0);
  });

  test("pi-60 CR-06 setup makes no file; the first message of the user makes it with everything before", () => {
    const manager = created();
    const model = manager.appendModelChange("p", "m");
    const note = manager.appendCustomEntry("note", 1);
    expect(existsSync(fileOf(manager))).toBe(false);
    const message = manager.appendMessage(user("hi"));
    expect(idsOf(linesIn(fileOf(manager)))).toEqual([manager.getSessionId(), model, note, message]);
    expect(idsOf(manager.getBranch())).toEqual([model, note, message]);
  });
});

describe("branching", () => {
  test("pi-172 omp-34 moves the leaf, and what comes next is a sibling", () => {
    const manager = created();
    const [a, b] = [manager.appendMessage(user("a")), manager.appendMessage(assistant("b"))];
    manager.branch(a);
    expect(manager.getLeafId()).toBe(a);
    const c = manager.appendMessage(assistant("c"));
    expect(idsOf(manager.getBranch())).toEqual([a, c]);
    expect(idsOf(manager.getBranch(b))).toEqual([a, b]);
    expect(typesOf(manager.getChildren(a))).toEqual(["message", "leaf", "message"]);
  });

  test("omp-35 an unknown entry is refused, and the leaf stays", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    expect(() => manager.branch("nowhere")).toThrow(refusal("not_found"));
    expect(manager.getLeafId()).toBe(a);
  });
});

test("pi-62 omp-22 in memory there is no file, and every call works", async () => {
  const manager = SessionManager.inMemory("/w");
  const a = manager.appendMessage(user("a"));
  expect(manager.getSessionFile()).toBeUndefined();
  expect(manager.isPersisted()).toBe(false);
  expect(manager.createBranchedSession(a)).toBeUndefined();
  await manager.flush();
  expect(idsOf(manager.getEntries())).toEqual([a]);
});
