import { describe, expect, test, vi } from "vitest";
import { assistant, toolResult, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { nodeFileSystem } from "../../src/storage/files/file-system.ts";
import { beforeEachCall, errno } from "../support/failing-file-system.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bytesOf, created, fileOf, idsOf, linesIn, refusal } from "./managers.ts";

/** A stored session of one message whose calls of the file system are counted and may fail. */
function watched(durability: "process" | "turn" | "power") {
  const calls: string[] = [];
  const faults = new Map<string, string>();
  const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
    calls.push(name);
    const code = faults.get(name);
    if (code !== undefined) throw errno(code);
  });
  const manager = SessionManager.create("/w", temporaryFolder(), { durability, fileSystem });
  const first = manager.appendMessage(user("first"));
  calls.length = 0;
  const syncs = () => calls.filter((name) => name.startsWith("fdatasync") || name === "fsyncSync");
  return { manager, first, calls, faults, syncs };
}

describe("an append", () => {
  test("pi-56 omp-77 that fails leaves everything as it was, and the next one works", () => {
    const { manager, first, faults } = watched("process");
    const before = bytesOf(fileOf(manager));
    faults.set("writeSync", "ENOSPC");
    expect(() => manager.appendMessage(assistant("b"))).toThrow(
      refusal("storage_full", { path: fileOf(manager), outcome: "not_written" }),
    );
    expect(() => manager.branchWithSummary(null, "s")).toThrow(refusal("storage_full"));
    expect(() => manager.resetLeaf()).toThrow(refusal("storage_full"));
    expect(() => manager.appendLabelChange(first, "x")).toThrow(refusal("storage_full"));
    expect(bytesOf(fileOf(manager))).toBe(before);
    expect(manager.getLeafId()).toBe(first);
    expect(manager.getLabel(first)).toBeUndefined();
    expect(manager.getEntryCount()).toBe(1);
    faults.clear();
    const second = manager.appendMessage(assistant("b"));
    expect(manager.getEntry(second)).toMatchObject({ parentId: first });
    expect(idsOf(linesIn(fileOf(manager))).slice(1)).toEqual([first, second]);
  });

  test("pi-56 that can't learn what volume it is on fails as any other does", {
    skip: process.platform !== "linux",
  }, () => {
    const { manager, first, faults } = watched("process");
    faults.set("statfsSync", "EIO");
    expect(() => manager.appendMessage(assistant("b"))).toThrow(refusal("storage_io", { outcome: "not_written" }));
    faults.clear();
    manager.appendMessage(assistant("c"));
    expect(manager.getBranch().map(({ parentId }) => parentId)).toEqual([null, first]);
  });

  test("omp-72 pi-59 can be read by another process as soon as it returns", () => {
    const manager = created();
    for (const text of ["a", "b", "c"]) {
      const id = manager.appendMessage(user(text));
      expect(linesIn(fileOf(manager)).at(-1)?.id).toBe(id);
    }
  });

  test("sees what another manager wrote meanwhile, and both keep their places", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    const other = SessionManager.open(fileOf(manager));
    const b = other.appendMessage(assistant("b"));
    const c = manager.appendMessage(assistant("c"));
    expect(manager.getEntry(b)).toMatchObject({ parentId: a });
    expect(manager.getEntry(c)).toMatchObject({ parentId: a });
    expect(other.getLeafId()).toBe(b);
    const d = other.appendMessage(user("d"));
    expect(idsOf(other.getBranch())).toEqual([a, b, d]);
    expect(linesIn(fileOf(manager))).toHaveLength(5);
  });

  test("a mark that took the file's leaf along is followed by a record of where it was", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    const b = manager.appendMessage(assistant("b"));
    const other = SessionManager.open(fileOf(manager));
    manager.branch(a);
    const c = manager.appendMessage(assistant("c"));
    other.appendLabelChange(a, "x");
    expect(SessionManager.open(fileOf(manager)).getLeafId()).toBe(c);
    expect(manager.getLeafId()).toBe(c);
    expect(other.getLeafId()).toBe(b);
  });
});

describe("durability", () => {
  test("process never syncs", async () => {
    const { manager, syncs } = watched("process");
    manager.appendMessage(assistant("b"));
    manager.appendCompaction("s", null, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(syncs()).toEqual([]);
  });

  test("turn syncs in the background what makes up the turns, and flush awaits it", async () => {
    const { manager, syncs } = watched("turn");
    manager.appendMessage(toolResult("k", "read", "text"));
    manager.appendModelChange("p", "m");
    expect(syncs()).toEqual([]);
    manager.appendMessage(assistant("b"));
    await vi.waitFor(() => expect(syncs()).toEqual(["fdatasync"]));
    await manager.flush();
    expect(syncs()).toEqual(["fdatasync"]);
  });

  test("power syncs every entry before it is acknowledged", () => {
    const { manager, syncs } = watched("power");
    manager.appendModelChange("p", "m");
    manager.appendMessage(toolResult("k", "read", "text"));
    expect(syncs()).toEqual(["fdatasyncSync", "fdatasyncSync"]);
  });

  test("pi-63 omp-77 flush rejects while the disk fails, and loses nothing once it works again", async () => {
    const { manager, first, faults } = watched("turn");
    faults.set("fdatasync", "EIO");
    faults.set("fdatasyncSync", "EIO");
    const second = manager.appendMessage(assistant("b"));
    await expect(manager.flush()).rejects.toMatchObject({ code: "storage_io", details: { outcome: "unknown" } });
    expect(manager.getLeafId()).toBe(second);
    faults.clear();
    await manager.flush();
    expect(idsOf(SessionManager.open(fileOf(manager)).getBranch())).toEqual([first, second]);
  });

  test("at power a sync that fails is an append of unknown outcome; what it wrote is there and the parent of the next", () => {
    const { manager, first, faults } = watched("power");
    faults.set("fdatasyncSync", "EIO");
    expect(() => manager.appendMessage(assistant("b"))).toThrow(refusal("storage_io", { outcome: "unknown" }));
    expect(manager.getLeafId()).toBe(first);
    faults.clear();
    manager.appendMessage(user("c"));
    expect(manager.getBranch()).toHaveLength(3);
  });

  test("flush awaits sessions that were left, too", async () => {
    const { manager, faults } = watched("turn");
    faults.set("fdatasync", "EIO");
    faults.set("fdatasyncSync", "EIO");
    manager.appendMessage(assistant("b"));
    manager.newSession();
    await expect(manager.flush()).rejects.toMatchObject({ code: "storage_io" });
    await manager.flush();
  });
});

describe("closing", () => {
  test("flushes, closes once, and refuses what comes after", async () => {
    const { manager, syncs } = watched("turn");
    manager.appendMessage(assistant("b"));
    await manager.close();
    await manager.close();
    expect(syncs()).toEqual(["fdatasync"]);
    expect(() => manager.appendMessage(user("c"))).toThrow(refusal("closed"));
    expect(() => manager.getEntries()).toThrow(refusal("closed"));
    const before = manager.getSessionFile();
    expect(() => manager.newSession()).toThrow(refusal("closed"));
    expect(() => manager.setSessionFile(before ?? "")).toThrow(refusal("closed"));
    expect(() => manager.createBranchedSession(manager.getLeafId() ?? "")).toThrow(refusal("closed"));
    expect(manager.getSessionFile()).toBe(before);
    expect(linesIn(fileOf(manager))).toHaveLength(3);
  });

  test("by using, with and without waiting", async () => {
    let path: string;
    {
      using manager = created();
      manager.appendMessage(user("a"));
      path = fileOf(manager);
    }
    {
      await using manager = SessionManager.open(path);
      manager.appendMessage(assistant("b"));
    }
    expect(linesIn(path)).toHaveLength(3);
  });

  test("omp-79 pi-62 in memory there is nothing to wait for", async () => {
    const manager = SessionManager.inMemory();
    manager.appendMessage(user("a"));
    await manager.flush();
    await manager.close();
    expect(manager.getSessionFile()).toBeUndefined();
  });
});
