import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionHeader } from "../../../src/entry/header.ts";
import { type BoughError, isBoughError } from "../../../src/errors.ts";
import { DirectoryLog } from "../../../src/storage/directory/index.ts";
import { type FileSystem, nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { chain, userEntry } from "../../../src/testing/log-case.ts";
import { beforeEachCall, errno } from "../../support/failing-file-system.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
};

const codes: Readonly<Record<string, string>> = {
  EIO: "storage_io",
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
  EMFILE: "storage_io",
  EACCES: "storage_denied",
};

function idsIn(path: string): string[] {
  return DirectoryLog.open(path, { durability: "process" })
    .changes()
    .heads.map((head) => head.id);
}

/** Runs `scenario` with its nth call failing, for n = 1, 2, … until it makes no nth call. Returns how many failed. */
function failEach(code: string, scenario: (fileSystem: FileSystem, path: string) => void): number {
  let failures = 0;
  for (let n = 1; ; n++) {
    let calls = 0;
    const fileSystem = beforeEachCall(nodeFileSystem, (name, number) => {
      calls = number;
      if (number !== n || unheeded.has(name)) return;
      failures++;
      throw errno(code);
    });
    scenario(fileSystem, join(temporaryFolder(), "s1"));
    if (calls < n) return failures;
  }
}

/** What these report changes nothing, but that a temporary file may stay. */
const unheeded: ReadonlySet<string> = new Set(["closeSync", "rmSync", "unlinkSync"]);

describe.each(Object.keys(codes))("C3 %s at any call", (code) => {
  test("CR-05 a create that fails leaves nothing, in name or in pieces", () => {
    const failures = failEach(code, (fileSystem, path) => {
      let failed: BoughError | undefined;
      try {
        DirectoryLog.create(path, header, chain(["u1", "a1"]), { durability: "turn", fileSystem });
      } catch (error) {
        expect(isBoughError(error) && error.code).toBe(codes[code]);
        failed = error as BoughError;
      }
      const isCreated =
        !isBoughError(failed) || ("operation" in failed.details && failed.details.operation !== "create");
      expect(readdirSync(join(path, ".."))).toEqual(isCreated ? ["s1"] : []);
      if (isCreated) expect(idsIn(path)).toEqual(["u1", "a1"]);
    });
    expect(failures).toBeGreaterThan(20);
  });

  test("CR-05 an append that fails says which records are there, and the next one works", () => {
    const failures = failEach(code, (fileSystem, path) => {
      DirectoryLog.create(path, header, chain(["u1"]), { durability: "process" });
      let armed = false;
      const once = new Proxy(nodeFileSystem, {
        get: (_, name) => Reflect.get(armed ? fileSystem : nodeFileSystem, name),
      });
      const log = DirectoryLog.open(path, { durability: "process", fileSystem: once });
      log.changes();
      armed = true;
      const stored = appendAndCount(log, codes[code] as string);
      armed = false;
      expect(idsIn(path)).toEqual(["u1", "a", "b", "c"].slice(0, stored + 1));
      const next = log.append([chain(["z"], "u1")]);
      expect(next.outcomes).toEqual([{ status: "stored" }]);
      expect(idsIn(path).at(-1)).toBe("z");
      expect(readdirSync(join(path, "entries")).filter((name) => name.startsWith("."))).toEqual([]);
    });
    expect(failures).toBeGreaterThan(10);
  });
});

/** How many of three records were stored, by what the log says. */
function appendAndCount(log: DirectoryLog, code: string): number {
  try {
    const { outcomes } = log.append([chain(["a"], "u1"), chain(["b", "c"], "a")]);
    let stored = 0;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "failed") {
        expect(outcome.error.code).toBe(code);
        stored += outcome.stored;
      } else stored += index + 1;
    }
    return stored;
  } catch (error) {
    expect(isBoughError(error) && error.code).toBe(code);
    return idsIn(log.path).length - 1;
  }
}

test("EINTR is no failure", () => {
  let calls = 0;
  const fileSystem = beforeEachCall(nodeFileSystem, () => {
    if (++calls % 2 === 0) throw errno("EINTR");
  });
  const path = join(temporaryFolder(), "s1");
  const log = DirectoryLog.create(path, header, chain(["u1"]), { durability: "turn", fileSystem });
  expect(log.append([chain(["a1"], "u1")]).outcomes).toEqual([{ status: "stored" }]);
  expect(idsIn(path)).toEqual(["u1", "a1"]);
});

describe("sync", () => {
  /** Counts calls by name and lets the named ones fail while `failing` is set. */
  function watched(path: string, durability: "process" | "turn") {
    const state = { failing: false, calls: new Map<string, number>() };
    const fileSystem = beforeEachCall(nodeFileSystem, (name) => {
      state.calls.set(name, (state.calls.get(name) ?? 0) + 1);
      if (state.failing && (name === "fdatasyncSync" || name === "fdatasync")) throw errno("EIO");
    });
    DirectoryLog.create(path, header, [], { durability: "process" });
    return { state, log: DirectoryLog.open(path, { durability, fileSystem }) };
  }

  test("each new file is synced once, and then the folder", async () => {
    const { state, log } = watched(join(temporaryFolder(), "s1"), "turn");
    log.append([chain(["a", "b"])]);
    await log.sync();
    expect([state.calls.get("fdatasync"), state.calls.get("fsync")]).toEqual([2, 1]);
    await log.sync();
    log.syncNow();
    expect([state.calls.get("fdatasync"), state.calls.get("fsync")]).toEqual([2, 1]);
  });

  test("those who wait together share one", async () => {
    const { state, log } = watched(join(temporaryFolder(), "s1"), "turn");
    log.append([chain(["a"])]);
    const first = log.sync();
    log.append([chain(["b"], "a")]);
    await Promise.all([first, log.sync(), log.sync(), log.sync()]);
    expect([state.calls.get("fdatasync"), state.calls.get("fsync")]).toEqual([2, 2]);
  });

  test.each(["sync", "syncNow"] as const)("after a failed %s the files are written anew and synced", async (verb) => {
    const path = join(temporaryFolder(), "s1");
    const { state, log } = watched(path, "turn");
    log.append([chain(["a"])]);
    const before = readdirSync(join(path, "entries"));
    let first = true;
    const failOnce = beforeEachCall(nodeFileSystem, (name) => {
      if (first && (name === "fdatasync" || name === "fdatasyncSync")) {
        first = false;
        throw errno("EIO");
      }
    });
    const other = DirectoryLog.open(path, { durability: "turn", fileSystem: failOnce });
    other.append([chain(["b"], "a")]);
    await other[verb]();
    expect(readdirSync(join(path, "entries"))).toEqual([...before, "0000000002-b.json"]);
    expect(readFileSync(join(path, "entries", "0000000002-b.json"), "utf8")).toBe(JSON.stringify(userEntry("b", "a")));
    expect(state.failing).toBe(false);
  });

  test("while syncing fails nobody is told that it worked, and once it works everybody is", async () => {
    const { state, log } = watched(join(temporaryFolder(), "s1"), "turn");
    log.append([chain(["a"])]);
    state.failing = true;
    for (let round = 0; round < 3; round++) {
      await expect(log.sync()).rejects.toMatchObject({ code: "storage_io", details: { outcome: "unknown" } });
      expect(() => log.syncNow()).toThrow(expect.objectContaining({ code: "storage_io" }));
    }
    state.failing = false;
    await log.sync();
    expect(log.append([chain(["b"], "a")]).outcomes).toEqual([{ status: "stored" }]);
    await log.sync();
  });

  test("without the content a failed sync stays uncertain", async () => {
    const { state, log } = watched(join(temporaryFolder(), "s1"), "process");
    log.append([chain(["a"])]);
    state.failing = true;
    await expect(log.sync()).rejects.toMatchObject({ code: "storage_io", details: { outcome: "unknown" } });
  });
});
