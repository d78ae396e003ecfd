import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { newestSession } from "../../src/storage/jsonl/newest-session.ts";
import { runProgram } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bytesOf, exists, fileOf, filesIn, header, saidIn, storeHome } from "./managers.ts";

/** A session file with one message of an hour of the day, and more lines if given. */
function stored(
  folder: string,
  id: string,
  hour: number,
  { cwd = "/w", after = [] as readonly object[] } = {},
): string {
  const timestamp = new Date(Date.UTC(2026, 0, 2, hour)).toISOString();
  const message = { type: "message", id: `m-${id}`, parentId: null, timestamp, message: user(id) };
  const lines = [{ ...header, id, cwd }, message, ...after].map((record) => `${JSON.stringify(record)}\n`);
  const path = join(folder, `${id}.jsonl`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, lines.join(""));
  return path;
}

describe("continueRecent", () => {
  test("LS-07 goes on where the newest message is, whatever was touched, named or labelled since", () => {
    const folder = temporaryFolder();
    const name = {
      type: "session_info",
      id: "n",
      parentId: "m-a",
      timestamp: "2026-01-03T00:00:00.000Z",
      name: "late",
    };
    const a = stored(folder, "a", 10, { after: [name] });
    const b = stored(folder, "b", 12);
    utimesSync(b, new Date(0), new Date(0));
    stored(folder, "other", 15, { cwd: "/other" });
    const manager = SessionManager.continueRecent("/w", folder);
    expect(manager.getSessionId()).toBe("b");
    manager.appendMessage(assistant("on"));
    expect(SessionManager.continueRecent("/w", folder).getSessionFile()).toBe(b);
    rmSync(b);
    expect(SessionManager.continueRecent("/w", folder).getSessionFile()).toBe(a);
  });

  test("LS-07 a fork counts like any other, what a folder beside a session's file holds does not", () => {
    const folder = temporaryFolder();
    const a = stored(folder, "a", 10);
    stored(join(folder, "a"), "child", 12);
    expect(SessionManager.continueRecent("/w", folder).getSessionId()).toBe("a");
    const fork = SessionManager.forkFrom(a, "/w", folder);
    fork.appendMessage(user("newer"));
    expect(SessionManager.continueRecent("/w", folder).getSessionId()).toBe(fork.getSessionId());
  });

  test("LS-07 is the first of the list, whatever stands at the ends of files", async () => {
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 2, hour)).toISOString();
    const entry = (hour: number, message: object) => ({
      ...{ type: "message", id: `x${hour}`, parentId: null, timestamp: at(hour), message },
    });
    const result = { role: "toolResult", toolCallId: "c", toolName: "t", content: [], isError: false };
    const long = [{ type: "text", text: "x".repeat(600_000) }];
    const ends: Readonly<Record<string, readonly object[]>> = {
      "a result of a tool": [entry(15, { ...result, timestamp: Date.parse(at(15)) })],
      "a command": [entry(16, { role: "bashExecution", command: "ls", output: "", exitCode: 0 })],
      "a custom message": [{ ...entry(17, {}), type: "custom_message", customType: "n", content: "n", display: true }],
      "an own time": [entry(9, { ...assistant("late"), timestamp: Date.parse(at(14)) })],
      "an earlier one last": [entry(13, assistant("late")), entry(8, user("early"))],
      "a long one before long results": [
        entry(13, { ...assistant("x"), content: long }),
        entry(14, { ...result, content: long }),
      ],
      "the same time": [entry(11, user("b"))],
    };
    for (const [name, after] of Object.entries(ends)) {
      const folder = temporaryFolder();
      stored(folder, "one", 10, { after });
      stored(folder, "two", 11);
      stored(folder, "three", 12, { cwd: "/other" });
      const [first] = await SessionManager.list("/w", folder);
      expect([name, SessionManager.continueRecent("/w", folder).getSessionId()]).toEqual([name, first?.id]);
    }
  });

  test("a header without a usable time is as new as its file, as in the list", async () => {
    const folder = temporaryFolder();
    for (const [id, time] of [
      ["odd", "soon"],
      ["s2", "2026-01-01T00:00:00.000Z"],
    ] as const) {
      writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify({ ...header, id, timestamp: time })}\n`);
    }
    for (const [seconds, newest] of [
      [1e9, "s2"],
      [2e9, "odd"],
    ] as const) {
      utimesSync(join(folder, "odd.jsonl"), seconds, seconds);
      expect((await SessionManager.list("/w", folder))[0]?.id).toBe(newest);
      expect(SessionManager.continueRecent("/w", folder).getSessionId()).toBe(newest);
    }
  });

  test("begins a session where there is none, and writes nothing", () => {
    const folder = join(temporaryFolder(), "none");
    const manager = SessionManager.continueRecent("/w", folder);
    expect(manager.getEntries()).toEqual([]);
    expect(exists(manager)).toBe(false);
    manager.appendMessage(user("a"));
    expect(SessionManager.continueRecent("/w", folder).getSessionFile()).toBe(fileOf(manager));
  });

  test("a file that is no session is passed over, and a session without messages is as new as its header", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "z.jsonl"), "no session\n");
    writeFileSync(join(folder, "empty.jsonl"), "");
    writeFileSync(join(folder, "h.jsonl"), `${JSON.stringify(header)}\n`);
    expect(SessionManager.continueRecent("/w", folder).getSessionId()).toBe("s1");
    stored(folder, "a", 10);
    expect(SessionManager.continueRecent("/w", folder).getSessionId()).toBe("a");
  });

  test("a message is found however much stands behind it, whole, torn or long", () => {
    const folder = temporaryFolder();
    const big = {
      type: "custom",
      id: "c",
      parentId: null,
      timestamp: "2026-01-05T00:00:00.000Z",
      customType: "n",
      data: "x".repeat(200_000),
    };
    const a = stored(folder, "a", 12, { after: [big, big] });
    writeFileSync(a, '{"type":"message","id":"torn","par', { flag: "a" });
    stored(folder, "b", 11);
    expect(newestSession(folder, "/w")).toBe(a);
  });

  test("sessions of the project are found in all of the store", () => {
    const home = storeHome();
    const path = stored(join(home, "sessions", "--w--"), "a", 10);
    expect(SessionManager.continueRecent("/w").getSessionFile()).toBe(path);
    expect(SessionManager.findById("/w", "a")).toBe(path);
  });
});

describe("findById", () => {
  test("LS-13 finds exactly the id, in this project, and makes nothing", () => {
    const folder = temporaryFolder();
    const path = stored(folder, "6b17ffff", 10);
    stored(folder, "elsewhere", 10, { cwd: "/other" });
    expect(SessionManager.findById("/w", "6b17ffff", folder)).toBe(path);
    expect(SessionManager.findById("/w", "6b17", folder)).toBeUndefined();
    expect(SessionManager.findById("/w", "elsewhere", folder)).toBeUndefined();
    expect(SessionManager.findById("/w", "nope", join(folder, "none"))).toBeUndefined();
    expect(filesIn(folder)).toHaveLength(2);
  });

  test("the header decides, not the name", () => {
    const folder = temporaryFolder();
    const path = join(folder, "2026_b.jsonl");
    writeFileSync(path, `${JSON.stringify({ ...header, id: "a" })}\n`);
    expect(SessionManager.findById("/w", "a", folder)).toBe(path);
    expect(SessionManager.findById("/w", "b", folder)).toBeUndefined();
  });
});

describe("lists", () => {
  test("pi-11 pi-83 of a project, newest message first, with names, times and counts", async () => {
    const folder = temporaryFolder();
    const manager = SessionManager.create("/w", folder);
    manager.appendMessage(user("first words"));
    manager.appendMessage(assistant("answer"));
    manager.appendSessionInfo("a name");
    const old = stored(folder, "old", 10);
    stored(folder, "other", 15, { cwd: "/w-2" });
    const bytes = bytesOf(old);
    const progress: number[][] = [];
    const sessions = await SessionManager.list("/w", folder, (done, total) => progress.push([done, total]));
    expect(sessions).toMatchObject([
      {
        path: fileOf(manager),
        id: manager.getSessionId(),
        name: "a name",
        firstMessage: "first words",
        messageCount: 2,
      },
      { path: old, id: "old", firstMessage: "old", modified: new Date("2026-01-02T10:00:00.000Z") },
    ]);
    const last = manager.getBranch().at(-1);
    expect(last).toMatchObject({ message: { timestamp: sessions[0]?.modified.getTime() } });
    expect(sessions[0]?.created).toEqual(new Date(manager.getHeader().timestamp));
    expect(progress.at(-1)).toEqual([3, 3]);
    expect(bytesOf(old)).toBe(bytes);
    const branched = manager.createBranchedSession(manager.getLeafId() as string);
    const [newest] = (await SessionManager.list("/w", folder)).filter(({ path }) => path === branched);
    expect(newest?.parentSessionPath).toBe(sessions[0]?.path);
  });

  test("of all projects, in the store or a folder, until told to stop", async () => {
    const home = storeHome();
    stored(join(home, "sessions", "one"), "a", 10);
    stored(join(home, "sessions", "two"), "b", 12, { cwd: "/other" });
    const folder = temporaryFolder();
    stored(folder, "c", 13);
    const seen: number[] = [];
    const all = await SessionManager.listAll((done) => seen.push(done));
    expect(all.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(seen).toEqual([1, 2]);
    expect((await SessionManager.listAll(folder)).map(({ id }) => id)).toEqual(["c"]);
    const reason = new Error("enough");
    await expect(SessionManager.listAll(undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(SessionManager.list("/w", folder, undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

test("a list reads what was said when it is asked for, and hands it on to no copy", async () => {
  const folder = temporaryFolder();
  const paths = ["a", "b"].map((id) => stored(folder, id, 10));
  const [b, a] = await SessionManager.listAll(folder);
  expect([a?.allMessagesText, Object.keys(a ?? {}).includes("allMessagesText")]).toEqual(["a", false]);
  for (const path of paths) rmSync(path);
  expect([a?.allMessagesText, b?.allMessagesText]).toEqual(["a", ""]);
});

test("CR-06 pi-59 what was acknowledged is there after the program was killed, and listed", async () => {
  const folder = temporaryFolder();
  const program = join(import.meta.dirname, "programs", "append-and-die.ts");
  const { exitCode, stdout } = await runProgram(program, [folder]);
  expect(exitCode).toBeNull();
  const acknowledged = stdout.trim().split("\n");
  expect(acknowledged).toHaveLength(3);
  const [session] = await SessionManager.list("/w", folder);
  expect(session).toMatchObject({ messageCount: 2, firstMessage: "long prompt" });
  const manager = SessionManager.open(session?.path as string);
  expect(manager.getBranch().map(({ id }) => id)).toEqual(acknowledged);
  expect(saidIn(manager)).toEqual(["long prompt", "answer"]);
});
