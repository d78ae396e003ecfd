import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionHeader } from "../../../src/entry/header.ts";
import { asyncLog } from "../../../src/session/async-log.ts";
import type { LogChange } from "../../../src/session/entry-log.ts";
import { DirectoryLog, type DirectoryLogOptions } from "../../../src/storage/directory/index.ts";
import { logConformance } from "../../../src/testing/index.ts";
import { chain, recordOf, userEntry } from "../../../src/testing/log-case.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
};
const options: DirectoryLogOptions = { durability: "process" };

for (const durability of ["process", "turn"] as const) {
  logConformance(
    { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
    {
      name: `directory at ${durability}`,
      async create(header) {
        const path = join(temporaryFolder(), "s");
        return {
          log: asyncLog(DirectoryLog.create(path, header, [], { durability })),
          open: async () => asyncLog(DirectoryLog.open(path, { durability })),
          stored: async () =>
            readdirSync(join(path, "entries")).map((name) => [name, readFileSync(join(path, "entries", name))]),
          remove: async () => rmSync(path, { recursive: true }),
        };
      },
      skip: [
        {
          name: "a session that was removed can still be read by who has it open",
          reason: "a file an entry is too many to keep open",
        },
      ],
    },
  );
}

interface Place {
  readonly path: string;
  readonly log: DirectoryLog;
}

function created(ids: readonly string[] = []): Place {
  const path = join(temporaryFolder(), "s1");
  return { path, log: DirectoryLog.create(path, header, chain(ids), options) };
}

function namesIn(path: string): string[] {
  return readdirSync(join(path, "entries")).sort();
}

function fileOf(path: string, name: string): string {
  return join(path, "entries", name);
}

function idsOf(change: LogChange): string[] {
  return change.heads.map((head) => head.id);
}

function idsIn(path: string): string[] {
  return idsOf(DirectoryLog.open(path, options).changes());
}

function diagnosed(path: string): [string, string | undefined][] {
  const { diagnostics } = DirectoryLog.open(path, options).changes();
  return diagnostics.map(({ code, entryId }) => [code, entryId]);
}

describe("the files", () => {
  test("the header is written once, each entry has a file of its own", () => {
    const { path, log } = created(["u1", "a1"]);
    const metadata = readFileSync(join(path, "metadata.json"), "utf8");
    expect(JSON.parse(metadata)).toEqual(header);
    log.append([chain(["u2"], "a1")]);
    expect(namesIn(path)).toEqual(["0000000001-u1.json", "0000000002-a1.json", "0000000003-u2.json"]);
    expect(readFileSync(fileOf(path, "0000000003-u2.json"), "utf8")).toBe(JSON.stringify(userEntry("u2", "a1")));
    expect(readFileSync(join(path, "metadata.json"), "utf8")).toBe(metadata);
  });

  test("ids become names that are safe and distinct on every file system", () => {
    const ids = [
      "Ab",
      "aB",
      "CON",
      "x.",
      "a/b",
      "..",
      "é",
      "e\u0301",
      "n".repeat(300),
      "n".repeat(301),
      "\ud83d",
      "\ufffd",
    ];
    const { path, log } = created();
    for (const id of ids) log.append([[recordOf(userEntry(id, null))]]);
    const names = namesIn(path);
    for (const name of names) expect(name).toMatch(/^\d{10}-[a-z0-9_.%~-]{1,200}\.json$/);
    const escapes = names.map((name) => name.slice(11).toLowerCase().normalize("NFC"));
    expect(new Set(escapes).size).toBe(ids.length);
    expect(idsIn(path)).toEqual(ids);
  });

  test.skipIf(process.platform === "win32")("files and folders are their owner's alone, whatever the umask", () => {
    for (const mask of [0o000, 0o077, 0o277]) {
      const before = process.umask(mask);
      try {
        const { path, log } = created(["u1"]);
        log.append([chain(["a1"], "u1")]);
        for (const folder of [path, join(path, "entries")]) expect(statSync(folder).mode & 0o777).toBe(0o700);
        for (const name of namesIn(path)) expect(statSync(fileOf(path, name)).mode & 0o777).toBe(0o600);
        expect(statSync(join(path, "metadata.json")).mode & 0o777).toBe(0o600);
      } finally {
        process.umask(before);
      }
    }
  });

  test("nothing temporary is left behind", () => {
    const { path, log } = created(["u1"]);
    log.append([chain(["a", "b", "c"], "u1")]);
    expect(
      readdirSync(join(path, ".."))
        .concat(readdirSync(path), namesIn(path))
        .filter((name) => name.startsWith(".")),
    ).toEqual([]);
  });

  test("an existing session is not replaced", () => {
    const { path } = created(["u1"]);
    expect(() => DirectoryLog.create(path, { ...header, id: "s2" }, [], options)).toThrow(
      expect.objectContaining({ code: "already_exists" }),
    );
    expect(idsIn(path)).toEqual(["u1"]);
    expect(readdirSync(join(path, ".."))).toEqual(["s1"]);
  });

  test("a batch of a thousand entries has a thousand files", () => {
    const { path, log } = created();
    log.append([chain(Array.from({ length: 1000 }, (_, index) => `e${index}`))]);
    expect(namesIn(path)).toHaveLength(1000);
    expect(idsIn(path).at(-1)).toBe("e999");
  });
});

describe("opening", () => {
  test("what is no session is refused", () => {
    const folder = temporaryFolder();
    expect(() => DirectoryLog.open(join(folder, "nowhere"), options)).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(() => DirectoryLog.open(folder, options)).toThrow(expect.objectContaining({ code: "not_found" }));
    for (const text of ["", "garbage", "[]", '{"type":"message","id":"u1","parentId":null}']) {
      writeFileSync(join(folder, "metadata.json"), text);
      expect(() => DirectoryLog.open(folder, options)).toThrow(expect.objectContaining({ code: "invalid_session" }));
    }
  });

  test("a newer version is read and not written", () => {
    const { path } = created(["u1"]);
    writeFileSync(join(path, "metadata.json"), JSON.stringify({ ...header, version: 9 }));
    const log = DirectoryLog.open(path, options);
    expect(idsOf(log.changes())).toEqual(["u1"]);
    expect(() => log.append([chain(["a1"], "u1")])).toThrow(expect.objectContaining({ code: "read_only" }));
    expect(namesIn(path)).toHaveLength(1);
  });

  test("a folder of entries that was never carried over is empty, and made by the first append", () => {
    const { path } = created();
    rmdirSync(join(path, "entries"));
    const log = DirectoryLog.open(path, options);
    expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
    expect(readdirSync(path)).toEqual(["metadata.json"]);
    expect(log.append([chain(["u1"])]).outcomes).toEqual([{ status: "stored" }]);
    expect(idsIn(path)).toEqual(["u1"]);
  });
});

describe("damage", () => {
  test.each([
    [
      "cut in the middle of its body",
      '{"type":"message","id":"a1","parentId":"u1","timestamp":"","message":{"ro',
      [["damaged_entry", "a1"]],
    ],
    ["cut in its head", '{"type":"mess', [["malformed_line", undefined]]],
    ["garbage", "%% garbage", [["malformed_line", undefined]]],
    ["no object", "[1]", [["not_an_object", undefined]]],
    ["without a usable body", '{"type":"message","id":"a1","parentId":"u1","timestamp":""}', [["damaged_entry", "a1"]]],
  ])("CR-02 a file that is %s costs one entry and is reported", (_, text, expected) => {
    const { path } = created(["u1", "a1", "u2"]);
    writeFileSync(fileOf(path, "0000000002-a1.json"), text);
    expect(idsIn(path)).toEqual(expected[0]?.[1] === undefined ? ["u1", "u2"] : ["u1", "a1", "u2"]);
    expect(diagnosed(path)).toEqual(expected);
  });

  test("an empty file is an entry that is still being written, and no news", () => {
    const { path } = created(["u1", "a1", "u2"]);
    writeFileSync(fileOf(path, "0000000002-a1.json"), "");
    expect(idsIn(path)).toEqual(["u1", "u2"]);
    expect(diagnosed(path)).toEqual([]);
  });

  test("foreign files are reported once and left alone, hidden ones are not looked at", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    writeFileSync(fileOf(path, ".tmp-0123"), "left by a crash");
    writeFileSync(fileOf(path, "notes.txt"), "mine");
    writeFileSync(fileOf(path, "2-a1.json"), JSON.stringify(userEntry("a1", "u1")));
    mkdirSync(fileOf(path, "0000000009-folder.json"));
    const { heads, diagnostics } = log.changes();
    expect(heads).toEqual([]);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([
      "malformed_line",
      "malformed_line",
      "malformed_line",
    ]);
    expect(log.changes().diagnostics).toEqual([]);
    log.append([chain(["a1"], "u1")]);
    expect(namesIn(path)).toContain("notes.txt");
    expect(idsIn(path)).toEqual(["u1", "a1"]);
  });

  test("a file that is copied bit by bit becomes an entry when it is whole", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    const text = JSON.stringify(userEntry("a1", "u1"));
    writeFileSync(fileOf(path, "0000000002-a1.json"), text.slice(0, 20));
    expect(log.changes()).toMatchObject({ heads: [], diagnostics: [{ code: "malformed_line" }] });
    writeFileSync(fileOf(path, "0000000002-a1.json"), text);
    expect(log.changes()).toMatchObject({ kind: "grown", heads: [{ id: "a1" }], diagnostics: [] });
  });

  test.skipIf(process.platform === "win32")("a pipe in the folder does not block", () => {
    const { path } = created(["u1"]);
    symlinkSync("/dev/zero", fileOf(path, "0000000005-zero.json"));
    symlinkSync("nowhere", fileOf(path, "0000000006-dangling.json"));
    expect(idsIn(path)).toEqual(["u1"]);
    expect(diagnosed(path)).toEqual([["malformed_line", undefined]]);
  });

  test("an entry whose file was spoilt after it was handed out comes back as damaged", () => {
    const { path, log } = created(["u1", "a1"]);
    const positions = log.changes().heads.map((head) => head.position);
    writeFileSync(fileOf(path, "0000000002-a1.json"), "garbage");
    expect(log.read(positions)).toMatchObject([{ type: "message" }, { type: "damaged", id: "a1", parentId: "u1" }]);
    rmSync(fileOf(path, "0000000002-a1.json"));
    expect(log.read(positions)).toMatchObject([{ id: "u1" }, { type: "damaged", id: "a1" }]);
  });
});

describe("two machines", () => {
  test("files with one number are two entries, in the order of their ids", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    writeFileSync(fileOf(path, "0000000002-b.json"), JSON.stringify(userEntry("b", "u1")));
    writeFileSync(fileOf(path, "0000000002-a.json"), JSON.stringify(userEntry("a", "u1")));
    expect(idsOf(log.changes())).toEqual(["a", "b"]);
    log.append([chain(["c"], "b")]);
    expect(namesIn(path).at(-1)).toBe("0000000003-c.json");
  });

  test("a file that turns up in front of others makes the log say replaced", () => {
    const { path, log } = created(["u1", "b"]);
    log.changes();
    writeFileSync(fileOf(path, "0000000002-a.json"), JSON.stringify(userEntry("a", "u1")));
    const change = log.changes();
    expect(change.kind).toBe("replaced");
    expect(idsOf(change)).toEqual(["u1", "a", "b"]);
    expect(change.heads.map((head) => head.position)).toEqual([0, 1, 2]);
    expect(log.read([1, 2]).map((entry) => entry.id)).toEqual(["a", "b"]);
    expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
  });

  test("what is replaced is reported with all that is wrong in it", () => {
    const { path, log } = created(["u1", "b"]);
    writeFileSync(fileOf(path, "0000000003-bad.json"), "garbage");
    expect(log.changes().diagnostics).toHaveLength(1);
    writeFileSync(fileOf(path, "0000000002-a.json"), JSON.stringify(userEntry("a", "u1")));
    expect(log.changes()).toMatchObject({ kind: "replaced", diagnostics: [{ code: "malformed_line" }] });
  });

  test("an append finds what came meanwhile and goes after it", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    writeFileSync(fileOf(path, "0000000007-x.json"), JSON.stringify(userEntry("x", "u1")));
    expect(idsOf(log.append([chain(["a1"], "u1")]).change)).toEqual(["x", "a1"]);
    expect(namesIn(path).at(-1)).toBe("0000000008-a1.json");
  });

  test("two folders that went their own ways are united by copying files", () => {
    const one = created(["u1", "a1"]);
    const other = created(["u1", "a1"]);
    one.log.append([chain(["x1", "x2"], "a1")]);
    other.log.append([chain(["y1"], "a1")]);
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      for (const name of namesIn(from.path)) copyFileSync(fileOf(from.path, name), fileOf(to.path, name));
    }
    expect(idsIn(one.path)).toEqual(["u1", "a1", "x1", "y1", "x2"]);
    expect(idsIn(other.path)).toEqual(idsIn(one.path));
  });

  test("an entry that another process stored under the same name is stored", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    const record = recordOf(userEntry("a1", "u1"));
    const stamp = statSync(join(path, "entries"));
    writeFileSync(fileOf(path, "0000000002-a1.json"), record.json);
    expect(stamp.isDirectory()).toBe(true);
    expect(log.append([[record]]).outcomes).toEqual([{ status: "stored" }]);
    expect(namesIn(path)).toEqual(["0000000001-u1.json", "0000000002-a1.json"]);
  });

  test("an entry file that was taken away takes its entry with it", () => {
    const { path, log } = created(["u1", "a1", "u2"]);
    log.changes();
    rmSync(fileOf(path, "0000000002-a1.json"));
    const change = log.changes();
    expect(change.kind).toBe("replaced");
    expect(idsOf(change)).toEqual(["u1", "u2"]);
  });

  test("the highest number is not passed", () => {
    const { path, log } = created();
    writeFileSync(fileOf(path, "9999999999-u1.json"), JSON.stringify(userEntry("u1", null)));
    expect(log.append([chain(["z1"], "u1")]).outcomes).toEqual([{ status: "stored" }]);
    expect(idsIn(path)).toEqual(["u1", "z1"]);
    const again = log.append([[recordOf(userEntry("z1", null, "other"))]]);
    expect(again.outcomes).toMatchObject([{ status: "failed", stored: 0, error: { code: "already_exists" } }]);
  });
});

describe("a session that moves away", () => {
  test("is deleted for who has it open, until it comes back", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    renameSync(path, `${path}-trash`);
    expect(() => log.append([chain(["a1"], "u1")])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(() => log.changes()).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(readdirSync(join(path, ".."))).toEqual(["s1-trash"]);
    renameSync(`${path}-trash`, path);
    expect(log.append([chain(["a1"], "u1")]).outcomes).toEqual([{ status: "stored" }]);
  });

  test("is not taken for another one at its path", () => {
    const { path, log } = created(["u1"]);
    log.changes();
    rmSync(path, { recursive: true });
    DirectoryLog.create(path, { ...header, id: "s2" }, chain(["x"]), options);
    expect(() => log.append([chain(["a1"], "u1")])).toThrow(expect.objectContaining({ code: "session_deleted" }));
    expect(idsIn(path)).toEqual(["x"]);
  });
});
