import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { SessionError } from "../../../src/errors.ts";
import { type FileSystem, nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { acquireLease } from "../../../src/storage/jsonl/lease.ts";
import { migrateFile } from "../../../src/storage/jsonl/migrate.ts";
import { decodeFile, fileOf } from "../../support/decode.ts";
import { beforeEachCall, errno } from "../../support/failing-file-system.ts";
import { startProgram } from "../../support/running.ts";
import { sharedPath } from "../../support/shared.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
const header = { type: "session", id: "s1", timestamp: at(0), cwd: "/w/p" };

const v1 = fileOf(
  { ...header, provider: "acme", modelId: "large", thinkingLevel: "high" },
  { type: "message", timestamp: at(1), message: { role: "user", content: "v1 has no ids" } },
  { type: "message", timestamp: at(2), message: { role: "assistant", content: [{ type: "text", text: "ok" }] } },
  { type: "compaction", timestamp: at(3), summary: "before", firstKeptEntryIndex: 2, tokensBefore: 10 },
  "{ torn",
  "",
  { type: "custom", timestamp: at(4) },
  { type: "message", timestamp: at(5), message: { role: "hookMessage", content: "ü\u2028" }, extra: { __proto__: 1 } },
);

const v2Lines = [
  '{"type":"message", "id":"u1","parentId":null,"timestamp":"t","message":{"role":"user","content":"kept  as it is"}}',
  '{"type":"message","id":"h1","parentId":"u1","timestamp":"t","message":{"role":"hookMessage","content":"x"}}',
  '{"id":"x1","type":"future","parentId":"h1","timestamp":"t","n":1.0}',
  '{"type":"message","id":"d1","parentId":"x1","timestamp":"t","message":{"role":"us',
];
const v2 = fileOf({ ...header, version: 2 }, ...v2Lines);

function stored(content: string): string {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function folderOf(path: string): string[] {
  return readdirSync(join(path, "..")).sort();
}

describe("a file of an older version", () => {
  test.each([
    ["v1", v1],
    ["v2", v2],
  ])("pi-21 pi-25 pi-27 of %s has the same entries afterwards, and the old file beside it", (version, content) => {
    const path = stored(content);
    const backup = `${path}.${version}.bak`;
    expect(migrateFile(path)).toEqual({ status: "migrated", backup });
    const before = decodeFile(content);
    const after = decodeFile(readFileSync(path));
    expect(after.decoder.access).toBe("append");
    expect(after.decoder.header).toEqual(before.decoder.header);
    expect(after.entries).toEqual(before.entries);
    expect(after.diagnostics.map(({ code, line }) => [code, line])).toEqual(
      before.diagnostics.map(({ code, line }) => [code, line]),
    );
    expect(readFileSync(backup, "utf8")).toBe(content);
    expect(folderOf(path)).toEqual(["session.jsonl", `session.jsonl.${version}.bak`]);
  });

  test("lines that need no change keep every byte", () => {
    const path = stored(v2);
    migrateFile(path);
    const lines = readFileSync(path, "utf8").split("\n");
    expect([lines[1], lines[3], lines[4]]).toEqual([v2Lines[0], v2Lines[2], v2Lines[3]]);
  });

  test("pi-26 pi-43 migrating again changes nothing", () => {
    const path = stored(v1);
    migrateFile(path);
    const once = readFileSync(path);
    expect(migrateFile(path)).toEqual({ status: "current" });
    expect(readFileSync(path)).toEqual(once);
  });

  test("a torn tail stays as it is, and a whole last line without a newline gets one", () => {
    const torn = stored(`${v1}{"type":"mess`);
    migrateFile(torn);
    expect(readFileSync(torn, "utf8").endsWith('\n{"type":"mess')).toBe(true);
    const whole = stored(v1.slice(0, -1));
    migrateFile(whole);
    expect(readFileSync(whole, "utf8").endsWith("}\n")).toBe(true);
    expect(decodeFile(readFileSync(whole)).entries).toHaveLength(5);
  });

  test("a backup that is there is never overwritten", () => {
    const path = stored(v1);
    writeFileSync(`${path}.v1.bak`, "mine");
    expect(migrateFile(path)).toEqual({ status: "migrated", backup: `${path}.v1-2.bak` });
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe("mine");
    expect(readFileSync(`${path}.v1-2.bak`, "utf8")).toBe(v1);
  });

  test("a link to the file stays a link", () => {
    const path = stored(v1);
    const link = join(temporaryFolder(), "link.jsonl");
    symlinkSync(path, link);
    migrateFile(link);
    expect(readFileSync(path, "utf8")).not.toBe(v1);
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(v1);
  });

  test.each([
    [0o644, 0o600],
    [0o600, 0o600],
    [0o400, 0o400],
  ])("SE-03 of mode %o is replaced by one of mode %o, and so is its backup", (mode, expected) => {
    const path = stored(v1);
    chmodSync(path, mode);
    migrateFile(path);
    expect(statSync(path).mode & 0o777).toBe(expected);
    expect(statSync(`${path}.v1.bak`).mode & 0o777).toBe(expected);
  });

  test("real sessions of version 1", ({ skip }) => {
    for (const name of ["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"]) {
      const fixture = sharedPath("fixtures", name);
      if (fixture === undefined) skip("the shared fixtures are not here");
      const content = readFileSync(fixture as string);
      const path = stored(content.toString());
      migrateFile(path);
      const after = decodeFile(readFileSync(path));
      expect(after.entries).toEqual(decodeFile(content).entries);
      expect(after.diagnostics).toEqual([]);
    }
  });
});

describe("what is not migrated", () => {
  test("a file of the current version is left alone", () => {
    const content = fileOf({ ...header, version: 3 });
    const path = stored(content);
    expect(migrateFile(path)).toEqual({ status: "current" });
    expect(folderOf(path)).toEqual(["session.jsonl"]);
  });

  test.each([
    ["pi-28 MG-02 a newer version", fileOf({ ...header, version: 99 }), "unsupported_version"],
    ["pi-20 a file that is no session", "hello\n", "invalid_session"],
    ["a file of NUL bytes", "\0".repeat(413), "invalid_session"],
  ])("%s is refused and keeps its bytes", (_what, content, code) => {
    const path = stored(content);
    expect(() => migrateFile(path)).toThrowError(expect.objectContaining({ code }));
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(folderOf(path)).toEqual(["session.jsonl"]);
  });

  test("HS-09 only what is absent is not found", () => {
    expect(() => migrateFile(join(temporaryFolder(), "none.jsonl"))).toThrowError(
      expect.objectContaining({ code: "not_found" }),
    );
    const denied = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "readSync") throw errno("EIO");
    });
    expect(() => migrateFile(stored(v1), denied)).toThrowError(
      expect.objectContaining({ code: "storage_io", details: expect.objectContaining({ errno: "EIO" }) }),
    );
  });

  test("a session that another process has leased is busy, and its file stays", async () => {
    const path = stored(v1);
    await using other = startProgram(join(import.meta.dirname, "programs/hold-lease.ts"), [
      path,
      "s1",
      process.platform,
    ]);
    await other.nextLine();
    expect(() => migrateFile(path)).toThrowError(expect.objectContaining({ code: "busy" }));
    expect(readFileSync(path, "utf8")).toBe(v1);
  });

  test("a lease that this process has is no hindrance", async () => {
    const path = stored(v1);
    const lease = await acquireLease({ file: path, id: "s1", doing: "chat" });
    expect(migrateFile(path)).toMatchObject({ status: "migrated" });
    lease.release();
  });
});

describe("interrupted", () => {
  const whole = { content: "", calls: 0 };

  beforeAll(() => {
    const path = join(mkdtempSync(join(tmpdir(), "bough-test-")), "session.jsonl");
    writeFileSync(path, v1);
    const counted = beforeEachCall(nodeFileSystem, (_name, number) => {
      whole.calls = number;
    });
    migrateFile(path, counted);
    whole.content = readFileSync(path, "utf8");
    rmSync(join(path, ".."), { recursive: true });
  });

  function expectOldOrNew(path: string) {
    const now = readFileSync(path, "utf8");
    expect([v1, whole.content]).toContain(now);
    if (now !== v1) expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(v1);
  }

  function expectToFinish(path: string) {
    migrateFile(path);
    expect(readFileSync(path, "utf8")).toBe(whole.content);
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(v1);
    expect(existsSync(`${path}.v1-2.bak`)).toBe(false);
  }

  test("pi-27 omp-69 MG-01 before any call, the old or the new file is complete, and a second run finishes the work", () => {
    expect(whole.calls).toBeGreaterThan(30);
    for (let last = 1; last <= whole.calls; last++) {
      const path = stored(v1);
      const dying = beforeEachCall(nodeFileSystem, (_name, number) => {
        if (number >= last) throw errno("EIO");
      });
      try {
        migrateFile(path, dying);
      } catch (error) {
        expect(error).toMatchObject({ code: "storage_io" });
      }
      expectOldOrNew(path);
      expectToFinish(path);
    }
  });

  test("pi-27 omp-69 MG-01 by SIGKILL before every fourth call", async () => {
    for (let fatal = 2; fatal <= whole.calls; fatal += 4) {
      const path = stored(v1);
      await using victim = startProgram(join(import.meta.dirname, "programs/migrate-and-die.ts"), [
        path,
        String(fatal),
      ]);
      await victim.ended;
      expectOldOrNew(path);
      expectToFinish(path);
    }
  });

  test("by one failing call, nothing is left lying about, and the outcome is not overstated", () => {
    for (let failing = 1; failing <= whole.calls; failing++) {
      const path = stored(v1);
      const names: string[] = [];
      const faulty = beforeEachCall(nodeFileSystem, (name, number) => {
        names[number] = name;
        if (number === failing) throw errno("EIO");
      });
      let outcome: unknown;
      try {
        migrateFile(path, faulty);
      } catch (error) {
        outcome = (error as { details: { outcome?: string } }).details.outcome;
      }
      expectOldOrNew(path);
      if (outcome === "not_written") expect(readFileSync(path, "utf8")).toBe(v1);
      const temporary = folderOf(path).filter((name) => name.startsWith(".tmp-"));
      expect(temporary, `${failing}: ${names[failing]}`).toHaveLength(names[failing] === "renameSync" ? 1 : 0);
    }
  });

  test("a copy that came out wrong never takes the name", () => {
    const path = stored(v1);
    const corrupting = beforeEachCall(nodeFileSystem, (name, _number, args) => {
      if (name === "writeSync") (args[1] as Buffer)[v1.indexOf("v1 has")] = 0x58;
    });
    expect(() => migrateFile(path, corrupting)).toThrowError(expect.objectContaining({ code: "invalid_state" }));
    expect(readFileSync(path, "utf8")).toBe(v1);
    expect(folderOf(path)).toEqual(["session.jsonl"]);
  });

  test("the copy is on disk before it takes the name, and the name before anything is said", () => {
    const order: string[] = [];
    const watched = beforeEachCall(nodeFileSystem, (name) => {
      if (["writeSync", "fdatasyncSync", "linkSync", "renameSync", "fsyncSync"].includes(name)) order.push(name);
    });
    migrateFile(stored(v1), watched);
    expect(order).toEqual(["writeSync", "fdatasyncSync", "linkSync", "renameSync", "fsyncSync"]);
  });

  test("PO-10 a rename that is refused for a moment is tried again", () => {
    const path = stored(v1);
    let refusals = 3;
    const held = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "renameSync" && refusals-- > 0) throw errno("EPERM");
    });
    expect(migrateFile(path, held)).toMatchObject({ status: "migrated" });
    expect(readFileSync(path, "utf8")).toBe(whole.content);
  });

  test("PO-10 a rename that is refused for good leaves the old file, and names the new one", () => {
    const path = stored(v1);
    const held = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "renameSync") throw errno("EBUSY");
    });
    const error = errorOf(() => migrateFile(path, held));
    expect(error).toMatchObject({ code: "storage_io", details: { operation: "rename", errno: "EBUSY" } });
    expect(readFileSync(path, "utf8")).toBe(v1);
    expect(readFileSync(error.details.path as string, "utf8")).toBe(whole.content);
  });

  test("where there are no links the backup is a copy", () => {
    const path = stored(v1);
    writeFileSync(`${path}.v1.bak`, "mine");
    const unlinked = beforeEachCall(nodeFileSystem, (name) => {
      if (name === "linkSync") throw errno("ENOTSUP");
    });
    expect(migrateFile(path, unlinked)).toEqual({ status: "migrated", backup: `${path}.v1-2.bak` });
    expect(readFileSync(`${path}.v1-2.bak`, "utf8")).toBe(v1);
    expect(statSync(`${path}.v1-2.bak`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe("mine");
  });
});

describe("a writer that knows nothing of the migration", () => {
  const late = JSON.stringify({ type: "message", timestamp: at(9), message: { role: "user", content: "late" } });

  /** Migrates a file while `act`, just before the first such call, does something to it. */
  function migrateWhile(call: keyof FileSystem, content: string, act: (path: string, old: number) => void): string {
    const path = stored(content);
    const old = openSync(path, "a");
    const acts = [() => act(path, old)];
    const watched = beforeEachCall(nodeFileSystem, (name) => {
      if (name === call) acts.pop()?.();
    });
    expect(migrateFile(path, watched)).toMatchObject({ status: "migrated" });
    closeSync(old);
    expect(acts).toEqual([]);
    return path;
  }

  test.each(["fdatasyncSync", "linkSync", "renameSync", "fsyncSync"] as const)(
    "loses nothing that it adds before %s",
    (call) => {
      const path = migrateWhile(call, v1, (_path, old) => writeSync(old, `${late}\n`));
      const after = decodeFile(readFileSync(path));
      expect(after.entries).toEqual(decodeFile(`${v1}${late}\n`).entries);
      expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(`${v1}${late}\n`);
    },
  );

  test.each(["fdatasyncSync", "linkSync", "fsyncSync"] as const)("may complete a torn line before %s", (call) => {
    const half = late.slice(0, 30);
    const path = migrateWhile(call, v1 + half, (_path, old) => writeSync(old, `${late.slice(30)}\n`));
    expect(decodeFile(readFileSync(path)).entries).toEqual(decodeFile(`${v1}${late}\n`).entries);
  });

  test.each(["fdatasyncSync", "fsyncSync"] as const)("may end the last line before %s", (call) => {
    const path = migrateWhile(call, v1 + late, (_path, old) => writeSync(old, "\n"));
    expect(decodeFile(readFileSync(path)).entries).toEqual(decodeFile(`${v1}${late}\n`).entries);
  });

  test("and one of the new file share it", () => {
    const own = JSON.stringify({ type: "custom", id: "n1", parentId: null, timestamp: at(9), customType: "x" });
    const path = migrateWhile("fsyncSync", v1, (path, old) => {
      appendFileSync(path, `${own}\n`);
      writeSync(old, `${late}\n`);
    });
    const ids = decodeFile(readFileSync(path)).entries.map(({ id }) => id);
    expect(ids.slice(-2)).toEqual(["n1", "00000009"]);
  });

  test.each(["fdatasyncSync", "linkSync"] as const)("may cut the file before %s: what is left is migrated", (call) => {
    const path = migrateWhile(call, v1, (path) => truncateSync(path, v1.indexOf('{"type":"compaction"')));
    expect(decodeFile(readFileSync(path)).entries).toEqual(decodeFile(v1).entries.slice(0, 2));
  });

  test("may exchange the file: the exchanged one is migrated", () => {
    const other = fileOf(header, { type: "message", timestamp: at(1), message: { role: "user", content: "other" } });
    const path = migrateWhile("fdatasyncSync", v1, (path) => {
      writeFileSync(`${path}.new`, other);
      renameSync(`${path}.new`, path);
    });
    expect(decodeFile(readFileSync(path)).entries).toEqual(decodeFile(other).entries);
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(other);
  });
});

function errorOf(work: () => unknown): SessionError<"storage_io"> {
  try {
    work();
  } catch (error) {
    return error as SessionError<"storage_io">;
  }
  throw new Error("nothing was thrown");
}
