import { join } from "node:path";
import { expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { DirectoryLog } from "../../src/storage/directory/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a manager over a folder of entries keeps what it appends there", async () => {
  const path = join(temporaryFolder(), "s1");
  const log = DirectoryLog.create(path, newHeader({ id: "s1", cwd: "/w" }), [], { durability: "process" });
  const manager = SessionManager.over(log, { durability: "process" });
  const u1 = manager.appendMessage(user("a"));
  manager.appendMessage(assistant("b"));
  manager.branch(u1);
  manager.appendLabelChange(u1, "start");
  expect(manager.getSessionFile()).toBeUndefined();
  await manager.close();
  const again = SessionManager.over(DirectoryLog.open(path, { durability: "process" }));
  expect([again.getSessionId(), again.getCwd(), again.getLeafId(), again.getLabel(u1)]).toEqual([
    "s1",
    "/w",
    u1,
    "start",
  ]);
  expect(again.getEntries()).toHaveLength(4);
  await again.close();
});
