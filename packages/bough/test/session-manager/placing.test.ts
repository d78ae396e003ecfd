import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { nodeFileSystem } from "../../src/storage/files/file-system.ts";
import { projectFolder } from "../../src/storage/jsonl/project-folder.ts";
import { beforeEachCall, errno } from "../support/failing-file-system.ts";
import { sharedPath } from "../support/shared.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  bytesOf,
  created,
  fileOf,
  filesIn,
  fileWith,
  header,
  idsOf,
  linesIn,
  refusal,
  said,
  saidIn,
  storeHome,
} from "./managers.ts";

const process_ = { durability: "process" } as const;
const { parentId: _, ...v1Message } = said("", null) as { readonly parentId: null };
const v1 = [
  {
    type: "session",
    id: "old",
    timestamp: header.timestamp,
    cwd: "/w",
    provider: "p",
    modelId: "m",
    thinkingLevel: "low",
  },
  { ...v1Message, id: undefined },
  { ...v1Message, id: undefined },
  { type: "compaction", timestamp: header.timestamp, summary: "sum", firstKeptEntryIndex: 2, tokensBefore: 10 },
] as const;

function open(path: string, ...rest: [sessionDir?: string | undefined, cwd?: string]): SessionManager {
  return SessionManager.open(path, rest[0], rest[1], process_);
}

describe("creating", () => {
  test("pi-9 BR-03 the file is named after time and id, and the folder after the project", () => {
    const home = storeHome();
    const manager = SessionManager.create("/w/some project", undefined, process_);
    manager.appendMessage(user("a"));
    const { id, timestamp } = manager.getHeader();
    expect(basename(fileOf(manager))).toBe(`${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`);
    expect(manager.getSessionDir()).toBe(join(home, "sessions", projectFolder("/w/some project")));
    expect(manager.getCwd()).toBe("/w/some project");
    expect(existsSync(fileOf(manager))).toBe(true);
    expect(statSync(fileOf(manager)).mode & 0o777).toBe(0o600);
  });

  test("pi-12 ids of callers that no file could be named after are refused", () => {
    for (const id of ["../x", "", "-a", "a-", "a/b"]) {
      expect(() => created({ id })).toThrow(refusal("invalid_session"));
      expect(() => SessionManager.inMemory("/w", { id })).toThrow(refusal("invalid_session"));
      expect(() => created().newSession({ id })).toThrow(refusal("invalid_session"));
    }
    expect(created({ id: "a.b_c-1" }).getSessionId()).toBe("a.b_c-1");
  });

  test("pi-13 the parent is in the header", () => {
    const manager = created({ parentSession: "/w/before.jsonl" });
    manager.appendMessage(user("a"));
    expect(linesIn(fileOf(manager))[0]).toMatchObject({ parentSession: "/w/before.jsonl" });
  });
});

describe("opening", () => {
  test("pi-18 LS-13 a missing path begins a session of that path, and makes nothing before a message comes", () => {
    const path = join(temporaryFolder(), "mine.jsonl");
    const manager = open(path, undefined, "/w");
    expect(manager.getSessionFile()).toBe(path);
    manager.appendModelChange("p", "m");
    expect(existsSync(path)).toBe(false);
    manager.appendMessage(user("a"));
    expect(linesIn(path)[0]).toMatchObject({ type: "session", version: 3, cwd: "/w", id: manager.getSessionId() });
  });

  test("pi-19 omp-76 an empty file keeps its path and is nothing until a message comes", () => {
    const path = join(temporaryFolder(), "mine.jsonl");
    writeFileSync(path, "");
    const manager = open(path);
    expect(bytesOf(path)).toBe("");
    manager.appendMessage(user("a"));
    expect(manager.getSessionFile()).toBe(path);
    expect(linesIn(path)).toHaveLength(2);
  });

  test("DL-01 pi-20 omp-76 a file that is no session is refused and stays as it is", () => {
    for (const text of ['{"event":"tick","n":1}\n{"event":"tick","n":2}\n', "text\n", "\n\n"]) {
      const path = join(temporaryFolder(), "log.jsonl");
      writeFileSync(path, text);
      expect(() => open(path)).toThrow(refusal("invalid_session"));
      expect(() => created().setSessionFile(path)).toThrow(refusal("invalid_session"));
      expect(() => SessionManager.forkFrom(path, "/w", temporaryFolder())).toThrow(refusal("invalid_session"));
      expect(bytesOf(path)).toBe(text);
    }
  });

  test("LS-14 LS-15 pi-31 omp-67 omp-68 reading writes nothing, whatever the file's version", () => {
    const current = fileWith(header, said("a", null), said("b", "a"));
    for (const path of [current, fileWith(...v1)]) {
      const before = { bytes: bytesOf(path), modified: statSync(path).mtimeMs };
      const manager = open(path);
      manager.getTree();
      manager.buildSessionContext();
      manager.getUsageStatistics();
      manager.readOnly().getEntries();
      expect({ bytes: bytesOf(path), modified: statSync(path).mtimeMs }).toEqual(before);
      expect(filesIn(join(path, ".."))).toEqual(["s.jsonl"]);
    }
  });

  test("omp-76 a header alone is an empty session", () => {
    const path = fileWith(header);
    const manager = open(path);
    expect(manager.getEntries()).toEqual([]);
    manager.appendModelChange("p", "m");
    expect(linesIn(path)).toHaveLength(2);
  });

  test("LS-15 settings of the file are derived, and none is written", () => {
    const model = {
      type: "model_change",
      id: "m",
      parentId: null,
      timestamp: header.timestamp,
      provider: "gone",
      modelId: "m",
    };
    const path = fileWith(header, model, said("a", "m"));
    const manager = open(path);
    expect(manager.buildSessionContext()).toMatchObject({
      model: { provider: "gone", modelId: "m" },
      thinkingLevel: "off",
    });
    expect(linesIn(path)).toHaveLength(3);
  });

  test("DL-07 a session of a folder that is gone is opened with all it has, and grows", () => {
    const path = fileWith({ ...header, cwd: "/gone/project" }, said("a", null), said("b", "a"));
    const manager = open(path);
    expect(manager.getCwd()).toBe("/gone/project");
    expect(open(path, undefined, "/w/new").getCwd()).toBe("/w/new");
    expect(open(fileWith({ ...header, cwd: "" })).getCwd()).toBe(process.cwd());
    const before = bytesOf(path);
    manager.appendMessage(user("c"));
    expect(bytesOf(path).startsWith(before)).toBe(true);
    expect(manager.getBranch()).toHaveLength(3);
  });

  test("pi-29 pi-30 omp-74 a torn last line stays, and what follows has a line of its own", () => {
    const path = fileWith(header, said("a", null));
    writeFileSync(path, '{"type":"message","id":"torn","par', { flag: "a" });
    const manager = open(path);
    expect(idsOf(manager.getBranch())).toEqual(["a"]);
    const b = manager.appendMessage(user("b"));
    expect(bytesOf(path)).toContain('"torn","par\n{');
    expect(idsOf(open(path).getBranch())).toEqual(["a", b]);
    const whole = fileWith(header, said("a", null));
    writeFileSync(whole, readFileSync(whole).subarray(0, -1));
    open(whole).appendMessage(user("b"));
    expect(linesIn(whole)).toHaveLength(3);
  });

  test("pi-28 omp-70 a newer version can be read and not written", () => {
    const path = fileWith({ ...header, version: 9 }, said("a", null));
    const manager = open(path);
    expect(saidIn(manager)).toEqual(["a"]);
    expect(() => manager.appendMessage(user("b"))).toThrow(refusal("read_only"));
    expect(linesIn(path)).toHaveLength(2);
  });

  test("pi-27 omp-64 an older version is upgraded in memory, and in the file by the first append, with a backup", () => {
    const path = fileWith(...v1);
    const before = bytesOf(path);
    const manager = open(path);
    expect(idsOf(manager.getEntries())).toEqual(["00000002", "00000003", "00000004"]);
    expect(manager.getEntry("00000004")).toMatchObject({ firstKeptEntryId: "00000003" });
    expect(manager.buildSessionContext()).toMatchObject({ thinkingLevel: "low", model: { provider: "p" } });
    const entries = manager.getEntries();
    const id = manager.appendMessage(user("new"));
    expect(linesIn(path)[0]).toMatchObject({ version: 3 });
    expect(open(path).getEntries().slice(0, -1)).toEqual(entries);
    expect(manager.getEntry(id)).toMatchObject({ parentId: "00000004" });
    expect(bytesOf(`${path}.v1.bak`)).toBe(before);
  });

  const fixture = sharedPath("fixtures", "pi-v1-before-compaction.jsonl");
  test.skipIf(fixture === undefined)("pi-21 a real file of version 1 (skipped where it is missing)", () => {
    const path = join(temporaryFolder(), "v1.jsonl");
    writeFileSync(path, readFileSync(fixture as string));
    const manager = open(path);
    expect(manager.getEntryCount()).toBe(readFileSync(path, "utf8").trimEnd().split("\n").length - 1);
    expect(manager.getBranch()).toHaveLength(manager.getEntryCount());
    expect(bytesOf(path)).toBe(readFileSync(fixture as string, "utf8"));
  });
});

describe("going to another session", () => {
  test("setSessionFile opens it, and what fails leaves the manager where it was", () => {
    const manager = created();
    const a = manager.appendMessage(user("a"));
    const other = fileWith({ ...header, cwd: "/other" }, said("x", null));
    manager.setSessionFile(other);
    expect([manager.getSessionId(), manager.getLeafId(), manager.getCwd()]).toEqual(["s1", "x", "/other"]);
    writeFileSync(join(temporaryFolder(), "bad.jsonl"), "bad\n");
    const bad = fileWith("bad");
    expect(() => manager.setSessionFile(bad)).toThrow(refusal("invalid_session"));
    expect(manager.getSessionFile()).toBe(other);
    manager.appendMessage(user("y"));
    expect(linesIn(other)).toHaveLength(3);
    expect(manager.getEntry(a)).toBeUndefined();
  });

  test("newSession begins anew in the same folder, and the one before is left as it is", () => {
    const manager = created();
    manager.appendMessage(user("a"));
    const before = fileOf(manager);
    const path = manager.newSession({ id: "second", parentSession: before });
    expect(manager.getSessionFile()).toBe(path);
    expect(manager.getSessionId()).toBe("second");
    expect(manager.getEntries()).toEqual([]);
    manager.appendMessage(user("b"));
    expect(linesIn(before)).toHaveLength(2);
    expect(linesIn(path as string)[0]).toMatchObject({ id: "second", parentSession: before });
    expect(filesIn(manager.getSessionDir())).toHaveLength(2);
  });

  test("in memory there are no files to go to", () => {
    const manager = SessionManager.inMemory("/w");
    manager.appendMessage(user("a"));
    expect(() => manager.setSessionFile("/w/x.jsonl")).toThrow(refusal("invalid_state"));
    expect(manager.newSession()).toBeUndefined();
    expect(manager.getEntries()).toEqual([]);
  });
});

/** a → b → c, where b also leads to d; a and c and d have labels. */
function forked(): { manager: SessionManager; a: string; b: string; c: string; d: string } {
  const manager = created();
  const a = manager.appendMessage(user("a"));
  manager.appendLabelChange(a, "old");
  const b = manager.appendMessage(assistant("b"));
  const d = manager.appendMessage(user("d"));
  manager.appendLabelChange(d, "left");
  manager.branch(b);
  const c = manager.appendMessage(user("c"));
  manager.appendLabelChange(a, "start");
  manager.appendLabelChange(c, "gone");
  manager.appendLabelChange(c);
  manager.appendSessionInfo("name");
  return { manager, a, b, c, d };
}

describe("createBranchedSession", () => {
  test("pi-173 pi-176 BR-03 BR-04 omp-40 omp-41 omp-42 omp-46 goes on in a new file with the path, and the source stays as it is", () => {
    const { manager, a, b, c, d } = forked();
    const source = { path: fileOf(manager), bytes: bytesOf(fileOf(manager)), id: manager.getSessionId() };
    const entries = manager.getBranch();
    const path = manager.createBranchedSession(c) as string;
    expect(manager.getSessionFile()).toBe(path);
    expect(manager.getSessionId()).not.toBe(source.id);
    expect(basename(path)).toContain(manager.getSessionId());
    expect(linesIn(path)[0]).toMatchObject({
      id: manager.getSessionId(),
      cwd: "/w",
      parentSession: source.path,
      parentSessionId: source.id,
    });
    expect(manager.getBranch()).toEqual(entries);
    expect(idsOf(manager.getBranch())).toEqual([a, b, c]);
    expect(manager.getEntry(d)).toBeUndefined();
    expect(open(path).getTree()).toEqual(manager.getTree());
    const next = manager.appendMessage(user("next"));
    expect(linesIn(path).at(-1)).toMatchObject({ id: next, parentId: c });
    expect(bytesOf(source.path)).toBe(source.bytes);
  });

  test("pi-178 pi-180 omp-43 labels of the path are made anew with their value and time; the name comes along", () => {
    const { manager, a, c } = forked();
    const given = manager
      .getEntries()
      .findLast(({ type, ...entry }) => type === "label" && "label" in entry && entry.label === "start");
    manager.createBranchedSession(c);
    const labels = manager.getEntries().filter(({ type }) => type === "label");
    expect(labels).toMatchObject([{ targetId: a, label: "start", timestamp: given?.timestamp, parentId: c }]);
    expect(labels[0]?.id).not.toBe(given?.id);
    expect(manager.getLabel(c)).toBeUndefined();
    expect(manager.getSessionName()).toBe("name");
    expect(manager.getLeafId()).toBe(c);
  });

  test("pi-178 pi-179 omp-44 omp-45 labels in the middle of a path, as others write them, are no hole in it", () => {
    const label = { type: "label", id: "l", parentId: "a", timestamp: header.timestamp, targetId: "a", label: "x" };
    const compaction = {
      type: "compaction",
      id: "k",
      parentId: "c",
      timestamp: header.timestamp,
      summary: "sum",
      firstKeptEntryId: "l",
      tokensBefore: 9,
    };
    const path = fileWith(header, said("a", null), label, said("b", "l"), said("c", "b"), compaction, said("d", "k"));
    const manager = open(path);
    const before = saidIn(manager);
    expect(before).toEqual(["sum", "b", "c", "d"]);
    manager.createBranchedSession("d");
    expect(saidIn(manager)).toEqual(before);
    expect(manager.getBranch().map(({ id, parentId }) => [id, parentId])).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", "b"],
      ["k", "c"],
      ["d", "k"],
    ]);
    expect(manager.getLabel("a")).toBe("x");
    expect(manager.getDiagnostics()).toEqual([]);
  });

  test("CR-07 pi-182 omp-46 the path that is returned exists, also without a reply or any message", () => {
    const manager = created();
    const a = manager.appendMessage(user("only a question"));
    const path = manager.createBranchedSession(a) as string;
    expect(idsOf(linesIn(path))).toEqual([manager.getSessionId(), a]);
    manager.appendMessage(assistant("b"));
    expect(linesIn(path).filter(({ type }) => type === "session")).toHaveLength(1);
    const setup = created();
    const model = setup.appendModelChange("p", "m");
    const empty = setup.createBranchedSession(model) as string;
    expect(idsOf(linesIn(empty)).slice(1)).toEqual([model]);
    expect(linesIn(empty)[0]).not.toHaveProperty("parentSession");
    setup.appendMessage(user("a"));
    expect(linesIn(empty)).toHaveLength(3);
  });

  test("omp-47 pi-181 in memory the entries are replaced and there is no path", () => {
    const manager = SessionManager.inMemory("/w");
    const [a, b] = [manager.appendMessage(user("a")), manager.appendMessage(assistant("b"))];
    manager.appendLabelChange(a, "x");
    const id = manager.getSessionId();
    expect(manager.createBranchedSession(a)).toBeUndefined();
    expect(idsOf(manager.getBranch())).toEqual([a]);
    expect(manager.getEntry(b)).toBeUndefined();
    expect(manager.getLabel(a)).toBe("x");
    expect(manager.getHeader()).toMatchObject({ parentSessionId: id });
    const c = manager.appendMessage(assistant("c"));
    expect(idsOf(manager.getTree().map(({ entry }) => entry))).toEqual([a]);
    expect(idsOf(manager.getBranch())).toEqual([a, c]);
  });

  test("omp-48 an unknown entry is refused, and nothing changes on disk or in memory", () => {
    const { manager, c } = forked();
    const before = { path: fileOf(manager), bytes: bytesOf(fileOf(manager)), id: manager.getSessionId() };
    expect(() => manager.createBranchedSession("nowhere")).toThrow(refusal("not_found", { id: "nowhere" }));
    expect({ path: fileOf(manager), bytes: bytesOf(before.path), id: manager.getSessionId() }).toEqual(before);
    expect(filesIn(manager.getSessionDir())).toHaveLength(1);
    expect(manager.getLeafId()).toBe(c);
  });

  test("omp-49 the first entry, and a place that only a mark names, are places like any other", () => {
    const { manager, a } = forked();
    const label = manager.getEntries().find(({ type }) => type === "label")?.id as string;
    manager.createBranchedSession(label);
    expect(idsOf(manager.getBranch())).toEqual([a]);
    expect(manager.getEntry(a)).toMatchObject({ parentId: null });
  });

  test("omp-50 pi-183 whatever call fails, the manager stays where it was, and no part of a session is left behind", () => {
    let [count, failing, calls] = [0, 0, Number.POSITIVE_INFINITY];
    const fileSystem = beforeEachCall(nodeFileSystem, () => {
      if (++count === failing) throw errno("ENOSPC");
    });
    for (let call = 1; call <= calls; call++) {
      failing = 0;
      const manager = SessionManager.create("/w", temporaryFolder(), { durability: "turn", fileSystem });
      const a = manager.appendMessage(user("a"));
      const before = fileOf(manager);
      [count, failing] = [0, call];
      let isBranched = true;
      try {
        manager.createBranchedSession(a);
      } catch (error) {
        expect(error).toEqual(refusal("storage_full"));
        isBranched = false;
      }
      if (count < call) calls = count;
      failing = 0;
      expect(fileOf(manager) === before).toBe(!isBranched);
      for (const name of filesIn(manager.getSessionDir()).filter((file) => file.endsWith(".jsonl"))) {
        expect(idsOf(linesIn(join(manager.getSessionDir(), name))).slice(1)).toEqual([a]);
      }
      const b = manager.appendMessage(assistant("b"));
      expect(idsOf(open(fileOf(manager)).getBranch())).toEqual([a, b]);
    }
    expect(calls).toBeGreaterThan(5);
  });

  test("pi-14 omp-10 what nobody knows of header and entries comes along", () => {
    const odd = { type: "odd", id: "x", parentId: null, timestamp: header.timestamp, own: { deep: [1] } };
    const manager = open(fileWith({ ...header, extra: 7 }, odd, { ...said("a", "x"), note: "n" }));
    const path = manager.createBranchedSession("a") as string;
    const [first, ...entries] = linesIn(path);
    expect(first).toMatchObject({ extra: 7 });
    expect(entries).toEqual([odd, { ...said("a", "x"), note: "n" }]);
  });
});

describe("forkFrom", () => {
  test("pi-175 pi-176 copies all branches into another project, and the source stays as it is", () => {
    const { manager, c, d } = forked();
    const source = { path: fileOf(manager), bytes: bytesOf(fileOf(manager)) };
    const fork = SessionManager.forkFrom(source.path, "/elsewhere", temporaryFolder(), { id: "copy", ...process_ });
    expect(linesIn(fileOf(fork))[0]).toMatchObject({ id: "copy", cwd: "/elsewhere", parentSession: source.path });
    expect(fork.getCwd()).toBe("/elsewhere");
    expect(fork.getBranch()).toEqual(manager.getBranch());
    expect(fork.getBranch(d)).toEqual(manager.getBranch(d));
    expect(fork.getLeafId()).toBe(c);
    expect(fork.getLabel(d)).toBe("left");
    fork.appendMessage(user("new"));
    expect(bytesOf(source.path)).toBe(source.bytes);
  });

  test("a copy has the metadata of its source, or what it is given instead, and its source for a parent", () => {
    const source = created({ metadata: { a: 1 } });
    source.appendMessage(user("a"));
    const metadata = { b: { c: 2 } };
    const given = { ...process_, metadata, parentSession: "/other" };
    const [same, other] = [process_, given].map((options) => {
      const fork = SessionManager.forkFrom(fileOf(source), "/w", temporaryFolder(), options);
      return linesIn(fileOf(fork))[0];
    });
    expect(same).toMatchObject({ metadata: { a: 1 }, parentSession: fileOf(source) });
    expect(other).toMatchObject({ metadata: { b: { c: 2 } }, parentSession: fileOf(source) });
  });

  test("pi-26b a copy of an old file is current, and the source keeps its bytes", () => {
    const path = fileWith(...v1);
    const before = bytesOf(path);
    const fork = SessionManager.forkFrom(path, "/w", temporaryFolder(), process_);
    expect(linesIn(fileOf(fork))[0]).toMatchObject({ version: 3 });
    expect(fork.getBranch()).toEqual(open(path).getBranch());
    expect(bytesOf(path)).toBe(before);
    expect(filesIn(join(path, ".."))).toEqual(["s.jsonl"]);
  });

  test("a source that is missing or empty is not found, and nothing is made", () => {
    const folder = temporaryFolder();
    const empty = join(temporaryFolder(), "empty.jsonl");
    writeFileSync(empty, "");
    for (const path of [empty, join(folder, "none.jsonl")]) {
      expect(() => SessionManager.forkFrom(path, "/w", folder)).toThrow(refusal("not_found"));
    }
    expect(filesIn(folder)).toEqual([]);
  });
});

test("a file that is deleted under a manager is not made again, and can still be read and branched off", () => {
  const manager = created();
  const a = manager.appendMessage(user("a"));
  mkdirSync(manager.getSessionDir(), { recursive: true });
  rmSync(fileOf(manager));
  expect(() => manager.appendMessage(assistant("b"))).toThrow(refusal("session_deleted"));
  expect(idsOf(manager.getBranch())).toEqual([a]);
  expect(idsOf(linesIn(manager.createBranchedSession(a) as string)).slice(1)).toEqual([a]);
});
