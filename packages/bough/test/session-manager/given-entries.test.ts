import { expect, test } from "vitest";
import { user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { header, idsOf, said, saidIn } from "./managers.ts";

test("a session in memory takes in entries that are kept elsewhere, and goes on from there", () => {
  const manager = SessionManager.inMemory("/w", { id: "mine" }, [said("a", null), said("b", "a")] as never);
  expect(manager.getSessionId()).toBe("mine");
  expect(saidIn(manager)).toEqual(["a", "b"]);
  const c = manager.appendMessage(user("c"));
  expect(manager.getEntry(c)).toMatchObject({ parentId: "b" });
});

test("a header among them is the session's, and old ones are upgraded as a file would be", () => {
  const { parentId: _, id: __, ...message } = said("a", null) as { parentId: null; id: string };
  const old = { type: "session", id: "old", timestamp: header.timestamp, cwd: "/other" };
  const manager = SessionManager.inMemory("/w", {}, [old, message, message]);
  expect(manager.getHeader()).toMatchObject({ id: "old", version: 3, cwd: "/other" });
  expect(idsOf(manager.getBranch())).toEqual(["00000002", "00000003"]);
});
