import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asyncLog } from "../../../src/session/async-log.ts";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { logConformance } from "../../../src/testing/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { codesOf, header, idsIn, idsOf, linesOf, opened, statusesOf, user } from "./records.ts";

const options = { durability: "process" } as const;

for (const durability of ["process", "turn", "power"] as const) {
  logConformance(
    { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
    {
      name: `JSONL at ${durability}`,
      async create(header) {
        const path = join(temporaryFolder(), "s.jsonl");
        return {
          log: asyncLog(JsonlLog.create(path, header, [], { durability })),
          open: async () => asyncLog(JsonlLog.open(path, { durability })),
          stored: async () => readFileSync(path),
          remove: async () => rmSync(path),
        };
      },
    },
  );
}

function fileWith(text: string): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, text);
  return path;
}

const headerLine = `${JSON.stringify(header)}\n`;

describe("opening", () => {
  test("a missing and an empty file are no session", () => {
    expect(() => JsonlLog.open(join(temporaryFolder(), "none.jsonl"), options)).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(() => JsonlLog.open(fileWith(""), options)).toThrow(expect.objectContaining({ code: "not_found" }));
  });

  test("DL-01 a file that is no session is refused and stays as it is", () => {
    const text = '{"event":"tick","n":1}\n{"event":"tick","n":2}\n';
    const path = fileWith(text);
    expect(() => JsonlLog.open(path, options)).toThrow(expect.objectContaining({ code: "invalid_session" }));
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a folder is no session", () => {
    expect(() => JsonlLog.open(temporaryFolder(), options)).toThrow(
      expect.objectContaining({ code: "invalid_session" }),
    );
  });

  test("a file that must not be read is storage_denied", { skip: process.getuid?.() === 0 }, () => {
    const path = fileWith(headerLine);
    chmodSync(path, 0);
    expect(() => JsonlLog.open(path, options)).toThrow(expect.objectContaining({ code: "storage_denied" }));
  });

  test("a symbolic link is followed once, when the session is opened", () => {
    const path = fileWith(headerLine);
    const link = join(temporaryFolder(), "link.jsonl");
    symlinkSync(path, link);
    const { log } = opened(link);
    expect(log.path).toBe(path);
    rmSync(link);
    expect(statusesOf(log.append([[user("u1")]]))).toEqual(["stored"]);
    expect(idsIn(path)).toEqual(["u1"]);
    log.close();
  });

  test("DL-04 another working directory moves nothing", () => {
    const path = fileWith(headerLine);
    const before = process.cwd();
    try {
      process.chdir(join(path, ".."));
      const { log } = opened("s.jsonl");
      mkdirSync("sub");
      process.chdir("sub");
      log.append([[user("u1")]]);
      log.close();
    } finally {
      process.chdir(before);
    }
    expect(idsIn(path)).toEqual(["u1"]);
  });

  test("the header is frozen", () => {
    const { log } = opened(fileWith(`${JSON.stringify({ ...header, metadata: { a: 1 } })}\n`));
    expect(Object.isFrozen(log.header) && Object.isFrozen(log.header.metadata)).toBe(true);
    log.close();
  });

  test("a last record without its newline is an entry, and reported to nobody", () => {
    const { log, first } = opened(fileWith(headerLine + user("u1").json));
    expect(idsOf(first.heads)).toEqual(["u1"]);
    expect(first.diagnostics).toEqual([]);
    log.append([[user("u2", "u1")]]);
    expect(idsIn(log.path)).toEqual(["u1", "u2"]);
    expect(linesOf(log.path)).toHaveLength(4);
    log.close();
  });

  test("MG-01 a version that needs migration is read as it is, and migrated by the first append", () => {
    const message = '{"type":"message","timestamp":"t","message":{"role":"user","content":"x"}}\n';
    const old = `{"type":"session","id":"s1","timestamp":"t","cwd":"/"}\n${message}`;
    const path = fileWith(old);
    const { log, first } = opened(path);
    expect(first.heads).toMatchObject([{ id: "00000002", role: "user" }]);
    expect(readFileSync(path, "utf8")).toBe(old);
    const appended = log.append([[user("u2", "00000002")]]);
    expect(statusesOf(appended)).toEqual(["stored"]);
    expect(appended.change).toMatchObject({ kind: "replaced", heads: [{ id: "00000002" }, { id: "u2" }] });
    expect(idsIn(path)).toEqual(["00000002", "u2"]);
    expect(readFileSync(`${path}.v1.bak`, "utf8")).toBe(old);
    log.close();
  });

  test("a newer version is read and never written", () => {
    const { log } = opened(fileWith(`${JSON.stringify({ ...header, version: 5 })}\n${user("u1").json}\n`));
    expect(() => log.append([[user("u2")]])).toThrow(expect.objectContaining({ code: "read_only" }));
    log.close();
  });
});

describe("reading", () => {
  test("of several records with one id the last counts, and each repetition is reported where it stands", () => {
    const path = fileWith(`${headerLine}${user("u1", null, "a").json}\n${user("u1", null, "b").json}\n`);
    const { log, first } = opened(path);
    const start = headerLine.length + user("u1", null, "a").json.length + 1;
    expect(first.diagnostics).toMatchObject([{ code: "duplicate_id", line: 3, byteStart: start, entryId: "u1" }]);
    expect(log.read([first.heads.at(-1)?.position as number])).toMatchObject([{ message: { content: "b" } }]);
    log.close();
  });

  test("entries come in the order asked for, neighbours or not, however often", () => {
    const many = Array.from({ length: 300 }, (_, index) => user(`u${index}`, null, "x".repeat(index * 37)));
    const path = fileWith(headerLine + many.map(({ json }) => `${json}\n`).join(""));
    const { log, first } = opened(path);
    const wanted = [299, 0, 150, 1, 2, 150].map((index) => first.heads[index]?.position as number);
    for (let round = 0; round < 2; round++) {
      expect(log.read(wanted)).toEqual([299, 0, 150, 1, 2, 150].map((index) => many[index]?.entry));
    }
    log.close();
  });

  test("a record that was overwritten comes back as a damaged entry", () => {
    const path = fileWith(`${headerLine}${user("u1").json}\n`);
    const { log, first } = opened(path);
    writeFileSync(path, headerLine.padEnd(statSync(path).size, "x"));
    expect(log.read(idsOf(first.heads).map((_, index) => first.heads[index]?.position as number))).toMatchObject([
      { type: "damaged", id: "u1" },
    ]);
    log.close();
  });

  test("what stands between the records of a file is reported with its lines and bytes", () => {
    const path = fileWith(`${headerLine}%% not json\n${user("u1").json}\n{"type":"message","id":"t1`);
    const { log, first } = opened(path);
    expect(codesOf(first)).toEqual(["malformed_line", "torn_tail"]);
    expect(first.diagnostics[0]).toMatchObject({ line: 2, byteStart: headerLine.length });
    expect(first.diagnostics[1]).toMatchObject({ line: 4, byteEnd: statSync(path).size });
    log.close();
  });
});

describe("creating", () => {
  test("CR-06 the file is there at once, whole, and its owner's alone whatever the umask", () => {
    const before = process.umask(0);
    try {
      const path = join(temporaryFolder(), "a", "b", "s.jsonl");
      JsonlLog.create(path, header, [user("u1")], { durability: "turn" }).close();
      expect(idsIn(path)).toEqual(["u1"]);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
      expect(statSync(join(path, "../..")).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  test("nothing that exists is replaced, but an empty file is taken", () => {
    const path = fileWith(headerLine);
    expect(() => JsonlLog.create(path, header, [user("u1")], options)).toThrow(
      expect.objectContaining({ code: "already_exists" }),
    );
    expect(readFileSync(path, "utf8")).toBe(headerLine);
    const empty = fileWith("");
    JsonlLog.create(empty, header, [user("u1")], options).close();
    expect(idsIn(empty)).toEqual(["u1"]);
  });
});

describe("appending beside others", () => {
  test("CC-04 a foreign line is read around, and closing always ends", () => {
    const { log } = opened(fileWith(headerLine));
    log.append([[user("u1")]]);
    appendFileSync(log.path, "%% not json\n");
    const appended = log.append([[user("u2", "u1")]]);
    expect(statusesOf(appended)).toEqual(["stored"]);
    expect(codesOf(appended.change)).toEqual(["malformed_line"]);
    log.close();
    log.close();
    expect(linesOf(log.path)).toContain("%% not json");
    expect(idsIn(log.path)).toEqual(["u1", "u2"]);
  });
});
