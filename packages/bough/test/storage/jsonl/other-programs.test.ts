import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FileSystem, nodeFileSystem } from "../../../src/storage/files/file-system.ts";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { codesOf, header, idsIn, idsOf, linesOf, opened, statusesOf, user } from "./records.ts";

const text = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const base = text(header, user("u1").entry, user("u2", "u1").entry);

function sessionFile(content: string | Uint8Array = base): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, content);
  return path;
}

/** Appends an entry and says whether a process that opens the path now finds it. */
function appends(log: JsonlLog, id: string, parentId = "u2"): boolean {
  expect(statusesOf(log.append([[user(id, parentId)]]))).toEqual(["stored"]);
  return idsIn(log.path).includes(id);
}

describe("a file that was exchanged", () => {
  test("DL-03 another file under the name gets what is appended next", () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    writeFileSync(`${log.path}.other`, base);
    renameSync(`${log.path}.other`, log.path);
    const appended = log.append([[user("n2", "n1")]]);
    expect(statusesOf(appended)).toEqual(["stored"]);
    expect(appended.change).toMatchObject({ kind: "replaced" });
    expect(idsOf(appended.change.heads)).toEqual(["u1", "u2", "n1", "n2"]);
    expect(idsIn(log.path)).toEqual(["u1", "u2", "n1", "n2"]);
    expect(log.read(appended.change.heads.map((head) => head.position)).map(({ type }) => type)).not.toContain(
      "damaged",
    );
    expect(appends(log, "n3", "n2")).toBe(true);
    log.close();
  });

  test("CR-09 a file moved aside and written anew gets what is appended next", () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    const aside = `${log.path}.aside`;
    copyFileSync(log.path, `${log.path}.new`);
    renameSync(log.path, aside);
    renameSync(`${log.path}.new`, log.path);
    expect(appends(log, "n2", "n1")).toBe(true);
    expect(idsIn(log.path)).toEqual(["u1", "u2", "n1", "n2"]);
    log.close();
  });

  test("CC-03 what was acknowledged and a rewrite from a stale copy dropped is written again at the next look", () => {
    const path = sessionFile();
    const { log } = opened(path);
    const stale = readFileSync(path);
    expect(appends(log, "n1")).toBe(true);
    writeFileSync(`${path}.new`, Buffer.concat([stale, Buffer.from(text(user("foreign", "u2").entry))]));
    renameSync(`${path}.new`, path);
    const looked = log.changes();
    expect(looked.kind).toBe("replaced");
    expect(idsOf(looked.heads)).toEqual(["u1", "u2", "foreign", "n1"]);
    expect(idsIn(path)).toEqual(["u1", "u2", "foreign", "n1"]);
    expect(appends(log, "n2", "n1")).toBe(true);
    expect(idsIn(path)).toEqual(["u1", "u2", "foreign", "n1", "n2"]);
    log.close();
  });

  test("changes() tells of another file before anything is appended", () => {
    const { log } = opened(sessionFile());
    writeFileSync(`${log.path}.other`, text({ ...header, title: "new" }, user("x1").entry));
    renameSync(`${log.path}.other`, log.path);
    expect(log.changes()).toMatchObject({ kind: "replaced", heads: [{ id: "x1" }] });
    expect(log.header.title).toBe("new");
    expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
    log.close();
  });

  test("another session under the name is not appended to, and stays as it is", () => {
    const { log } = opened(sessionFile());
    const other = text({ ...header, id: "s2" }, user("x1").entry);
    writeFileSync(`${log.path}.other`, other);
    log.append([[user("n1", "u2")]]);
    renameSync(`${log.path}.other`, log.path);
    expect(() => log.append([[user("n2", "n1")]])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(readFileSync(log.path, "utf8")).toBe(other);
    expect(() => log.changes()).toThrow(expect.objectContaining({ code: "session_deleted" }));
    log.close();
  });

  test("another session is not even touched by a first append", () => {
    const { log } = opened(sessionFile());
    const other = text({ ...header, id: "s2" }, user("x1").entry);
    writeFileSync(`${log.path}.other`, other);
    renameSync(`${log.path}.other`, log.path);
    expect(() => log.append([[user("n1", "u2")]])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(readFileSync(log.path, "utf8")).toBe(other);
    log.close();
  });

  test("another file of the session gets the first append", () => {
    const { log } = opened(sessionFile());
    writeFileSync(`${log.path}.other`, `${base}${text(user("x1", "u2").entry)}`);
    renameSync(`${log.path}.other`, log.path);
    const appended = log.append([[user("n1", "u2")]]);
    expect(appended.change).toMatchObject({ kind: "replaced", diagnostics: [] });
    expect(idsOf(appended.change.heads)).toEqual(["u1", "u2", "x1", "n1"]);
    log.close();
  });

  test("what was never read of a file that was replaced is no news, and what is new in the other is", () => {
    const many = Array.from({ length: 50 }, (_, index) => user(`m${index}`));
    const path = sessionFile(text(header, ...many.map(({ entry }) => entry)));
    const log = JsonlLog.open(path, { durability: "process", endSizes: { first: 300, most: 600, near: 1200 } });
    const known = idsOf(log.changes("end").heads);
    expect(known.length).toBeLessThan(50);
    const inserted = [...many.slice(0, 20), user("x1"), ...many.slice(20)];
    writeFileSync(`${path}.other`, text(header, ...inserted.map(({ entry }) => entry)));
    renameSync(`${path}.other`, path);
    const { kind, heads, leftIds } = log.changes("end");
    expect(kind).toBe("replaced");
    expect(idsOf(heads)).toEqual(inserted.map(({ entry }) => entry.id));
    expect(idsOf(heads).filter((id) => !known.includes(id) && !leftIds?.has(id))).toEqual(["x1"]);
    expect(log.older.next()).toBeUndefined();
    log.close();
  });

  test("a file written anew in place, longer than before, is loaded anew", () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    const rewritten = text(
      { ...header, cwd: "/w/somewhere/else" },
      user("u1").entry,
      user("u2", "u1").entry,
      user("n1", "u2").entry,
    );
    writeFileSync(log.path, `${rewritten}${text(user("foreign", "n1").entry)}`);
    const appended = log.append([[user("n2", "n1")]]);
    expect(appended.change.kind).toBe("replaced");
    expect(idsOf(appended.change.heads)).toEqual(["u1", "u2", "n1", "foreign", "n2"]);
    log.close();
  });
});

describe("a file that was cut", () => {
  test("DL-03 an append to a shorter file is stored, with what was acknowledged before, and all is loaded anew", () => {
    const { log, first } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    truncateSync(log.path, first.heads[1]?.position);
    const appended = log.append([[user("n2", "u1")]]);
    expect(statusesOf(appended)).toEqual(["stored"]);
    expect(appended.change.kind).toBe("replaced");
    expect(idsOf(appended.change.heads)).toEqual(["u1", "n2", "n1", "n2"]);
    expect(idsIn(log.path)).toEqual(["u1", "n2", "n1", "n2"]);
    log.close();
  });

  test("a cut inside a record leaves the record's rest on a line of its own", () => {
    const { log } = opened(sessionFile());
    truncateSync(log.path, base.length - 10);
    expect(appends(log, "n1", "u1")).toBe(true);
    expect(appends(log, "n2", "n1")).toBe(true);
    log.close();
    expect(idsIn(log.path).filter((id) => id.startsWith("n"))).toEqual(["n1", "n2"]);
  });

  test("without its header it is a session no more", () => {
    const { log } = opened(sessionFile());
    truncateSync(log.path, 0);
    expect(() => log.changes()).toThrow(expect.objectContaining({ code: "session_deleted" }));
    log.close();
  });
});

describe("a file that was deleted", () => {
  test("CC-10 nothing is recreated, and what was open can still be read", () => {
    const { log, first } = opened(sessionFile());
    const started = log.append([[user("n1", "u2")]]).change.heads;
    rmSync(log.path);
    expect(() => log.append([[user("n2", "n1")]])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(() => log.changes()).toThrow(expect.objectContaining({ code: "session_deleted" }));
    const positions = [...first.heads, ...started].map((head) => head.position);
    expect(log.read(positions).map(({ id }) => id)).toEqual(["u1", "u2", "n1"]);
    expect(() => readFileSync(log.path)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    log.close();
  });

  test("CC-10 the same where the first append comes after the deletion", () => {
    const { log } = opened(sessionFile());
    rmSync(log.path);
    expect(() => log.append([[user("n1", "u2")]])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(() => readFileSync(log.path)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    log.close();
  });

  test("put back where it was, it is appended to again, at the right places", () => {
    const { log } = opened(sessionFile());
    log.append([[user("n1", "u2")]]);
    renameSync(log.path, `${log.path}.trash`);
    expect(() => log.append([[user("n2", "n1")]])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    renameSync(`${log.path}.trash`, log.path);
    const { change } = log.append([[user("n3", "n1")]]);
    expect(log.read(change.heads.map((head) => head.position)).map(({ id }) => id)).toEqual(idsOf(change.heads));
    expect(idsOf(change.heads)).toContain("n3");
    log.close();
  });
});

describe("what others leave in the file", () => {
  test("a fragment of another process costs nobody's record", () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    appendFileSync(log.path, '{"type":"message","id":"x1","pare');
    const appended = log.append([[user("n2", "n1")], [user("n3", "n2")]]);
    expect(statusesOf(appended)).toEqual(["stored", "stored"]);
    expect(idsIn(log.path)).toEqual(["u1", "u2", "n1", "n3", "n2", "n3"]);
    log.close();
  });

  test("a fragment that was seen before is left on its own line, and reported once it has ended", () => {
    const { log } = opened(sessionFile());
    appendFileSync(log.path, "{torn");
    expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
    const appended = log.append([[user("n1", "u2")]]);
    expect(codesOf(appended.change)).toEqual(["malformed_line"]);
    expect(linesOf(log.path).slice(-3)).toEqual(["{torn", user("n1", "u2").json, ""]);
    log.close();
  });

  test("a torn record that was there at opening is reported once, healed or not", () => {
    const { log, first } = opened(sessionFile(`${base}{torn`));
    expect(codesOf(first)).toEqual(["torn_tail"]);
    expect(codesOf(log.changes())).toEqual([]);
    expect(codesOf(log.append([[user("n1", "u2")]]).change)).toEqual([]);
    log.close();
  });

  test("a record that was still being written at opening is handed out when it is whole", () => {
    const record = `${user("x1", "u2").json}\n`;
    const { log, first } = opened(sessionFile(base + record.slice(0, 30)));
    expect(codesOf(first)).toEqual(["torn_tail"]);
    appendFileSync(log.path, record.slice(30, 60));
    expect(log.changes().heads).toEqual([]);
    appendFileSync(log.path, record.slice(60));
    const { heads } = log.changes();
    expect(idsOf(heads)).toEqual(["x1"]);
    expect(log.read(heads.map((head) => head.position))).toEqual([user("x1", "u2").entry]);
    log.close();
  });

  test("CC-07 records of two logs in one process alternate and none is missing from either", () => {
    const path = sessionFile();
    const [one, two] = [opened(path).log, opened(path).log];
    const seen = [new Set<string>(), new Set<string>()];
    for (let index = 0; index < 50; index++) {
      for (const [which, log] of [one, two].entries()) {
        const appended = log.append([[user(`${which}-${index}`)]]);
        for (const id of idsOf(appended.change.heads)) seen[which]?.add(id);
      }
    }
    for (const [which, log] of [one, two].entries()) {
      for (const id of idsOf(log.changes().heads)) seen[which]?.add(id);
      expect(seen[which]?.size).toBe(100);
      log.close();
    }
    expect(idsIn(path)).toHaveLength(102);
  });
});

describe("the end of a file after a crash", () => {
  const last = user("last", "u2", "é🔥 — ends").json;
  const whole = Buffer.from(`${base}${last}\n`);
  const start = Buffer.byteLength(base);

  function survives(content: Uint8Array, lastIsWhole: boolean, note: string): void {
    const path = sessionFile(content);
    const { log, first } = opened(path);
    const known = lastIsWhole ? ["u1", "u2", "last"] : ["u1", "u2"];
    expect(idsOf(first.heads), note).toEqual(known);
    expect(statusesOf(log.append([[user("next", "u2")]])), note).toEqual(["stored"]);
    log.close();
    expect(readFileSync(path).subarray(0, content.length).equals(content), note).toBe(true);
    const again = opened(path);
    const usable = again.first.heads.filter((head) => head.type !== "damaged");
    expect(idsOf(usable), note).toEqual([...known, "next"]);
    expect(again.log.read(usable.map((head) => head.position)).at(-1), note).toEqual(user("next", "u2").entry);
    again.log.close();
  }

  test("CR-01 a cut at every byte of the last record costs that record at most", () => {
    for (let end = start; end <= whole.length; end++) {
      survives(whole.subarray(0, end), end >= whole.length - 1, `cut at ${end}`);
    }
  });

  test("CR-01 NULs in place of the end cost no more", () => {
    for (let end = start; end < whole.length; end++) {
      const content = Buffer.from(whole);
      content.fill(0, end);
      survives(content, end === whole.length - 1, `NULs from ${end}`);
    }
    for (const count of [1, 511, 512, 4096]) {
      survives(Buffer.concat([Buffer.from(base), Buffer.alloc(count)]), false, `${count} NULs`);
    }
  });
});

describe("what was acknowledged and is gone", () => {
  const acknowledged = () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "n1")).toBe(true);
    return log;
  };

  test("because the file was written anew in place is written again", () => {
    const log = acknowledged();
    writeFileSync(log.path, base);
    expect(statusesOf(log.append([[user("n2", "n1")]]))).toEqual(["stored"]);
    expect(idsIn(log.path).slice(-2)).toEqual(["n1", "n2"]);
    log.close();
  });

  test("because a short write was taken back is written again", () => {
    const path = sessionFile();
    const { log } = opened(path);
    const { length } = readFileSync(path);
    appendFileSync(path, '{"type":"message","id":"short');
    expect(appends(log, "n1")).toBe(true);
    truncateSync(path, length);
    log.close();
    expect(idsIn(path)).toEqual(["u1", "u2", "n1"]);
  });

  test("since it was created with the file is written again", () => {
    const path = join(temporaryFolder(), "s.jsonl");
    const log = JsonlLog.create(path, header, [user("n1"), user("n2", "n1")], { durability: "process" });
    writeFileSync(path, text(header));
    expect(idsOf(log.changes().heads)).toEqual(["n1", "n2"]);
    log.close();
  });

  test.each(["sync", "close"] as const)("is written again by %s", async (call) => {
    const log = acknowledged();
    writeFileSync(`${log.path}.stale`, base);
    renameSync(`${log.path}.stale`, log.path);
    await log[call]();
    expect(idsIn(log.path)).toEqual(["u1", "u2", "n1"]);
    log.close();
  });
});

test("who closes is told of what was acknowledged, is gone, and can't be written again", () => {
  let isFull = false;
  const writeSync = ((...call: Parameters<FileSystem["writeSync"]>) => {
    if (isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return nodeFileSystem.writeSync(...call);
  }) as FileSystem["writeSync"];
  const { log } = opened(sessionFile(), { fileSystem: { ...nodeFileSystem, writeSync } });
  expect(appends(log, "n1")).toBe(true);
  writeFileSync(log.path, base);
  isFull = true;
  expect(idsOf(log.changes().heads)).toEqual(["u1", "u2"]);
  expect(() => log.close()).toThrow(expect.objectContaining({ code: "storage_full" }));
  expect(() => log.changes()).toThrow(expect.objectContaining({ code: "closed" }));
});

describe("a file that is longer, but not only longer", () => {
  const record = (id: string, content = id) => text(user(id, "u2", content).entry);

  test.each([
    ["a fragment", record("taken").slice(0, 40)],
    ["a record without its newline", record("taken").slice(0, -1)],
    ["a record", record("taken")],
  ])("since %s was taken back and others came is loaded anew", (_, taken) => {
    const { log } = opened(sessionFile(base + taken));
    writeFileSync(log.path, base + record("given", "more than what was taken") + record("also"));
    const { kind, heads } = log.changes();
    expect({ kind, ids: idsOf(heads) }).toEqual({ kind: "replaced", ids: ["u1", "u2", "given", "also"] });
    log.close();
  });

  test("since another record of the same length stands where one was read is loaded anew", () => {
    const { log } = opened(sessionFile(base + record("one")));
    writeFileSync(log.path, base + record("two") + record("also"));
    expect(idsOf(log.changes().heads)).toEqual(["u1", "u2", "two", "also"]);
    log.close();
  });

  test("since another record of the same length stands where one was written is loaded anew, and has both", () => {
    const { log } = opened(sessionFile());
    expect(appends(log, "own")).toBe(true);
    writeFileSync(log.path, base + record("two") + record("also"));
    expect(idsOf(log.changes().heads)).toEqual(["u1", "u2", "two", "also", "own"]);
    log.close();
  });
});

test("a file of a newer version that took the place of one is not written to", () => {
  const { log } = opened(sessionFile());
  const newer = text({ ...header, version: 4 }, user("u1").entry);
  writeFileSync(`${log.path}.newer`, newer);
  renameSync(`${log.path}.newer`, log.path);
  const { outcomes } = log.append([[user("n1", "u1")]]);
  expect(outcomes).toMatchObject([{ status: "failed", stored: 0, error: { code: "read_only" } }]);
  expect(() => log.append([[user("n2", "u1")]])).toThrow(expect.objectContaining({ code: "read_only" }));
  log.close();
  expect(readFileSync(log.path, "utf8")).toBe(newer);
});

test("a file of an older version that took the place of one is migrated first", () => {
  const { log } = opened(sessionFile());
  const { version: _, ...older } = header;
  writeFileSync(`${log.path}.older`, text(older, { type: "message", timestamp: "t", message: user("x").entry }));
  renameSync(`${log.path}.older`, log.path);
  const { outcomes } = log.append([[user("n1")]]);
  expect(outcomes).toEqual([{ status: "stored" }]);
  log.close();
  expect(JSON.parse(linesOf(log.path)[0] as string)).toMatchObject({ version: 3 });
  expect(idsIn(log.path)).toContain("n1");
});

test("nothing is hung from what the file that took the place of another lacks", () => {
  const { log } = opened(sessionFile());
  writeFileSync(`${log.path}.other`, text(header, user("u1").entry));
  renameSync(`${log.path}.other`, log.path);
  const appended = log.append([[user("n1", "u1")], [user("n2", "u2"), user("n3", "n2")], [user("n4", "n1")]]);
  expect(appended.outcomes).toMatchObject([
    { status: "stored" },
    { status: "failed", stored: 0, error: { code: "unknown_parent", details: { parentId: "u2" } } },
  ]);
  expect(idsIn(log.path)).toEqual(["u1", "n1"]);
  log.close();
});
