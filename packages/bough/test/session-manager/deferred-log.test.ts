import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { newHeader } from "../../src/session/new-header.ts";
import { DeferredLog } from "../../src/session-manager/deferred-log.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { nodeFileSystem } from "../../src/storage/files/file-system.ts";
import { recordOf } from "../../src/testing/log-case.ts";
import { beforeEachCall, errno } from "../support/failing-file-system.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bytesOf, created, exists, fileOf, filesIn, idsOf, linesIn, refusal, said } from "./managers.ts";

function reopened(manager: SessionManager): SessionManager {
  return SessionManager.open(fileOf(manager), undefined, undefined, { durability: "process" });
}

describe("a session without a file", () => {
  test("pi-60 CR-06 setup makes no file, the first message of the user makes it with everything before", () => {
    const manager = created();
    const model = manager.appendModelChange("p", "m");
    manager.appendCustomEntry("note", 1);
    manager.appendCustomMessageEntry("aside", "a", true);
    manager.appendLabelChange(model, "x");
    manager.appendSessionInfo("n");
    expect(filesIn(manager.getSessionDir())).toEqual([]);
    manager.appendMessage(user("hi"));
    expect(idsOf(linesIn(fileOf(manager)))).toEqual([manager.getSessionId(), ...idsOf(manager.getEntries())]);
    expect(reopened(manager).getEntries()).toEqual(manager.getEntries());
  });

  test("a reply makes the file too, a result of a tool does not", () => {
    const manager = created();
    manager.appendMessage({ role: "system", content: "be brief" });
    expect(exists(manager)).toBe(false);
    manager.appendMessage(assistant("hello"));
    expect(linesIn(fileOf(manager))).toHaveLength(3);
  });

  test("pi-1 pi-2 pi-3 omp-1 omp-2 its first line is a header, which is no entry", () => {
    const manager = created({ metadata: { tag: "x" } });
    manager.appendMessage(user("hi"));
    const [first, entry] = linesIn(fileOf(manager));
    expect(first).toEqual(manager.getHeader());
    expect(Object.keys(first as object).slice(0, 5)).toEqual(["type", "version", "id", "timestamp", "cwd"]);
    expect(first).toMatchObject({ type: "session", version: 3, cwd: "/w", metadata: { tag: "x" } });
    expect(first).not.toHaveProperty("parentId");
    expect(entry).toMatchObject({ type: "message", parentId: null, id: expect.any(String) });
    expect(new Date(entry?.timestamp as string).toISOString()).toBe(entry?.timestamp);
    expect(idsOf(manager.getEntries())).toEqual([entry?.id]);
    expect(manager.getTree()).toHaveLength(1);
  });

  test("CR-08 what was kept is written once, with one header and in the order of the appends", () => {
    const manager = created();
    manager.appendCustomEntry("x", 1);
    manager.appendMessage(user("a"));
    manager.appendMessage(assistant("b"));
    const lines = linesIn(fileOf(manager));
    expect(lines.filter(({ type }) => type === "session")).toHaveLength(1);
    expect(idsOf(lines).slice(1)).toEqual(idsOf(manager.getEntries()));
    expect(new Set(idsOf(lines)).size).toBe(lines.length);
  });

  test("labels, moves and reads work before there is a file and are the same after", () => {
    const manager = created();
    const a = manager.appendModelChange("p", "m");
    manager.appendThinkingLevelChange("high");
    manager.appendLabelChange(a, "x");
    manager.branch(a);
    const b = manager.appendCustomEntry("note", 1);
    const before = { entries: manager.getEntries(), tree: manager.getTree(), leaf: manager.getLeafId() };
    const message = manager.appendMessage(user("hi"));
    expect(manager.getEntries().slice(0, -1)).toEqual(before.entries);
    expect(before.leaf).toBe(b);
    expect(idsOf(manager.getBranch())).toEqual([a, b, message]);
    expect(manager.getLabel(a)).toBe("x");
    expect(reopened(manager).getTree()).toEqual(manager.getTree());
  });

  test("pi-63 flush has nothing to do before, and close drops what no message came to", async () => {
    const manager = created();
    manager.appendModelChange("p", "m");
    await manager.flush();
    await manager.close();
    expect(() => manager.appendMessage(user("a"))).toThrow(refusal("closed"));
    expect(filesIn(manager.getSessionDir())).toEqual([]);
  });
});

describe("publishing", () => {
  test("pi-61 a file that is there already is an error, stays as it is, and what was kept stays kept", () => {
    const manager = created();
    const model = manager.appendModelChange("p", "m");
    mkdirSync(dirname(fileOf(manager)), { recursive: true });
    writeFileSync(fileOf(manager), "somebody else's\n");
    expect(() => manager.appendMessage(user("a"))).toThrow(refusal("already_exists", { what: "file" }));
    expect(bytesOf(fileOf(manager))).toBe("somebody else's\n");
    expect(idsOf(manager.getEntries())).toEqual([model]);
    expect(manager.getLeafId()).toBe(model);
    rmSync(fileOf(manager));
    const message = manager.appendMessage(user("again"));
    expect(idsOf(linesIn(fileOf(manager))).slice(1)).toEqual([model, message]);
  });

  test("CR-08 pi-61 whatever call fails, there is no file or a whole one, and the next message settles it", () => {
    let failing = 0;
    for (let calls = Number.POSITIVE_INFINITY; failing <= calls; failing++) {
      let count = 0;
      const fileSystem = beforeEachCall(nodeFileSystem, () => {
        if (++count === failing) throw errno("EIO");
      });
      const folder = join(temporaryFolder(), "new");
      const manager = SessionManager.create("/w", folder, { durability: "turn", fileSystem });
      const model = manager.appendModelChange("p", "m");
      let first: string | undefined;
      try {
        first = manager.appendMessage(user("one"));
      } catch (error) {
        expect(error).toEqual(refusal("storage_io"));
        expect(manager.getLeafId()).toBe(model);
      }
      if (failing === 0) calls = count;
      if (exists(manager)) expect(linesIn(fileOf(manager))).toHaveLength(3);
      const second = manager.appendMessage(user("two"));
      const path = [model, ...(first === undefined ? [] : [first]), second];
      expect(idsOf(manager.getBranch())).toEqual(path);
      const again = reopened(manager);
      expect(idsOf(again.getBranch())).toEqual(path);
      expect(again.getEntries()).toEqual(manager.getEntries());
      expect(filesIn(folder).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
    }
    expect(failing).toBeGreaterThan(5);
  });

  test.each(["EROFS", "EACCES"])(
    "PO-08 a folder that can't be written (%s) is told with its path, and kept entries wait",
    (code) => {
      let isWritable = false;
      const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
        if (name === "mkdirSync" && !isWritable) throw errno(code);
      });
      const folder = join(temporaryFolder(), "sessions");
      const manager = SessionManager.create("/w", folder, { fileSystem });
      manager.appendModelChange("p", "m");
      expect(() => manager.appendMessage(user("a"))).toThrow(
        refusal("storage_denied", { path: fileOf(manager), errno: code, outcome: "not_written" }),
      );
      expect(manager.getEntryCount()).toBe(1);
      isWritable = true;
      manager.appendMessage(user("a"));
      expect(linesIn(fileOf(manager))).toHaveLength(3);
    },
  );

  test("PO-08 a file in the place of the folder is told with the path", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const manager = SessionManager.create("/w", join(file, "sessions"));
    expect(() => manager.appendMessage(user("a"))).toThrow(refusal("storage_io", { path: fileOf(manager) }));
    expect(manager.getEntries()).toEqual([]);
  });

  test("DL-04 a relative folder is the one it was at creation, wherever the program goes", () => {
    const [start, folder] = [process.cwd(), temporaryFolder()];
    onTestFinished(() => process.chdir(start));
    mkdirSync(join(folder, "sub"));
    process.chdir(folder);
    const manager = SessionManager.create(".", "sessions", { durability: "process" });
    manager.appendMessage(user("a"));
    process.chdir("sub");
    manager.appendMessage(assistant("b"));
    manager.appendMessage(user("c"));
    expect(manager.getSessionDir()).toBe(join(process.cwd(), "..", "sessions"));
    expect(linesIn(fileOf(manager))).toHaveLength(4);
    expect(filesIn(join(folder, "sub"))).toEqual([]);
    const branched = manager.createBranchedSession(manager.getLeafId() as string) as string;
    expect(dirname(branched)).toBe(manager.getSessionDir());
  });

  test("an empty file of the path becomes the session, a link to nowhere does not", () => {
    const path = join(temporaryFolder(), "s.jsonl");
    writeFileSync(path, "");
    const manager = SessionManager.open(path);
    manager.appendMessage(user("a"));
    expect(linesIn(path)).toHaveLength(2);
    const link = join(temporaryFolder(), "link.jsonl");
    symlinkSync(join(temporaryFolder(), "gone", "s.jsonl"), link);
    const linked = SessionManager.open(link);
    expect(() => linked.appendMessage(user("a"))).toThrow();
    expect(linked.getEntries()).toEqual([]);
  });
});

test("after a close nothing is made", () => {
  const path = join(temporaryFolder(), "s.jsonl");
  const log = new DeferredLog(path, newHeader({ cwd: "/w" }), { durability: "process" });
  log.close();
  const entry = said("a", null) as never;
  expect(() => log.append([[recordOf(entry)]])).toThrow(refusal("closed"));
  expect(filesIn(dirname(path))).toEqual([]);
});
