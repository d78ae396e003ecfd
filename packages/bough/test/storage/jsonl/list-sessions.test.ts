import {
  appendFileSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newHeader } from "../../../src/session/new-header.ts";
import { JsonlStore } from "../../../src/storage/jsonl/jsonl-store.ts";
import { runProgram } from "../../support/child.ts";
import { fileOf } from "../../support/decode.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { user } from "./records.ts";
import { create, idsListed, listed, place, sessionText, snapshot, testStore } from "./stores.ts";

test("pi-31 LS-14 DL-08 listing twice shows the same and changes nothing", async () => {
  const { root, store } = testStore();
  await create(store, { id: "s1" });
  await create(store, { id: "s2", cwd: "/w/q" });
  const before = snapshot(root);
  expect(await idsListed(store)).toEqual(["s1", "s2"]);
  expect(await idsListed(store)).toEqual(["s1", "s2"]);
  expect(snapshot(root)).toEqual(before);
});

test("an empty store, and none at all, have no sessions", async () => {
  const { root, store } = testStore();
  expect(await listed(store)).toEqual([]);
  mkdirSync(root);
  expect(await listed(store)).toEqual([]);
});

describe("of one project", () => {
  test("pi-11 PO-01 PO-02 shows its sessions alone", async () => {
    const { store } = testStore();
    const cwds = ["/w/a-b/c", "/w/a/b-c", "/w/a/b/c", "/w/서울/app", "/w/부산/app"];
    for (const [index, cwd] of cwds.entries()) await create(store, { id: `s${index}`, cwd });
    for (const [index, cwd] of cwds.entries()) expect(await idsListed(store, { cwd })).toEqual([`s${index}`]);
    expect(await idsListed(store)).toHaveLength(cwds.length);
  });

  test("MG-06 LS-04 goes by the header, over folders of every naming", async () => {
    const { root, store } = testStore();
    await create(store, { id: "own" });
    place(join(root, "--w-p--", "t_pi.jsonl"), sessionText("pi", "/w/p"));
    place(join(root, "abs-p-0123456789ab", "t_hashed.jsonl"), sessionText("hashed", "/w/p"));
    place(join(root, "--w-p--", "t_other.jsonl"), sessionText("other", "/w-p"));
    place(join(root, "flat.jsonl"), sessionText("flat", "/w/p"));
    expect(await idsListed(store, { cwd: "/w/p" })).toEqual(["flat", "hashed", "own", "pi"]);
  });

  test("MG-05 PO-05 whatever the spelling of a Windows directory", async () => {
    const { store } = testStore();
    await create(store, { id: "a", cwd: "C:\\w\\p" });
    await create(store, { id: "b", cwd: "c:/w/p" });
    await create(store, { id: "c", cwd: "\\\\?\\C:\\w\\p" });
    expect(await idsListed(store, { cwd: "C:/w/p" })).toEqual(["a", "b", "c"]);
  });

  test("PO-06 through a link", async () => {
    const { store } = testStore();
    const real = realpathSync(temporaryFolder());
    const link = join(temporaryFolder(), "link");
    symlinkSync(real, link);
    await create(store, { id: "a", cwd: real });
    await create(store, { id: "b", cwd: link });
    expect(await idsListed(store, { cwd: link })).toEqual(["a", "b"]);
    expect(await idsListed(store, { cwd: real })).toEqual(["a", "b"]);
  });

  test("what can't be read counts where the project's sessions are", async () => {
    const { root, store } = testStore();
    place(join(root, "--w-p--", "t_pi.jsonl"), sessionText("pi", "/w/p"));
    place(join(root, "--w-p--", "t_zero.jsonl"), "\0\0\0");
    place(join(root, "--w-q--", "t_far.jsonl"), "\0\0\0");
    expect(await idsListed(store, { cwd: "/w/p" })).toEqual(["pi", "unreadable:zero"]);
  });
});

test("CR-04 pi-185 one file of NULs costs one line of the list", async () => {
  const { root, store } = testStore();
  for (const id of ["s1", "s2", "s3"]) await create(store, { id });
  place(join(root, "x", "t_bad.jsonl"), "\0".repeat(413));
  const listings = await listed(store);
  expect(await idsListed(store)).toEqual(["s1", "s2", "s3", "unreadable:bad"]);
  expect(listings.find(({ status }) => status === "unreadable")).toMatchObject({ error: { code: "invalid_session" } });
});

test("MG-02 a session of a newer version is shown", async () => {
  const { root, store } = testStore();
  place(join(root, "t_new.jsonl"), fileOf({ ...newHeader({ id: "new" }), version: 99 }, JSON.parse(user("u1").json)));
  expect(await listed(store)).toMatchObject([{ status: "ok", id: "new", firstMessage: "u1" }]);
});

test("LS-02 LS-10 a session without a message of the user, or any, is shown", async () => {
  const { store } = testStore();
  await create(store, { id: "empty" }, []);
  expect(await listed(store)).toMatchObject([{ id: "empty", firstMessage: "(no messages)", messageCount: 0 }]);
});

test("LS-08 marks don't change a session's time", async () => {
  const { store } = testStore();
  const { location } = await create(store, { id: "s1" });
  const [before] = await listed(store);
  appendFileSync(
    location,
    `${JSON.stringify({ type: "session_info", id: "n", parentId: "u1", timestamp: "2030-01-01T00:00:00.000Z", name: "N" })}\n`,
  );
  expect(await listed(store)).toEqual([{ ...before, name: "N" }]);
});

test("LS-12 children of a deleted session stay as they are", async () => {
  const { store } = testStore();
  const parent = await create(store, { id: "p" });
  await create(store, { id: "c", parentSession: parent.location });
  await store.remove(parent);
  expect(await listed(store)).toMatchObject([{ id: "c", parentSession: parent.location }]);
  const { log } = await store.open({ id: "c" });
  await log.close();
});

test("files of other kinds and what belongs to a session are no sessions", async () => {
  const { root, store } = testStore();
  const { location } = await create(store, { id: "s1" });
  for (const name of [
    `${location}.v1.bak`,
    join(root, ".tmp-0123"),
    join(root, "x", "notes.txt"),
    join(root, ".hidden", "t_h.jsonl"),
  ]) {
    place(name, sessionText("other", "/w/p"));
  }
  place(join(location.slice(0, -".jsonl".length), "agent.jsonl"), sessionText("sub", "/w/p"));
  expect(await idsListed(store)).toEqual(["s1"]);
});

test("pi-186 progress counts to the number of files", async () => {
  const { store } = testStore();
  for (let index = 0; index < 20; index++) await create(store, { id: `s${index}`, cwd: `/w/${index % 2}` });
  const seen: [number, number][] = [];
  await listed(store, { cwd: "/w/0", onProgress: (done, total) => seen.push([done, total]) });
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => [index + 1, 20]));
});

test("pi-186 an abort ends a list with its reason", async () => {
  const { store } = testStore();
  for (let index = 0; index < 20; index++) await create(store, { id: `s${index}` });
  const reason = new Error("enough");
  await expect(listed(store, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const onProgress = (done: number) => {
    if (done === 3) controller.abort(reason);
  };
  await expect(listed(store, { signal: controller.signal, onProgress })).rejects.toBe(reason);
});

describe("memory", () => {
  const program = join(import.meta.dirname, "programs/list-store.ts");

  function toolResult(id: string, size: number): string {
    const message = {
      role: "toolResult",
      toolCallId: id,
      toolName: "t",
      content: [{ type: "text", text: "x".repeat(size) }],
    };
    return `${JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-01-01T00:00:02.000Z", message })}\n`;
  }

  async function list(root: string) {
    const { stdout, stderr } = await runProgram(program, [root], { env: { NODE_OPTIONS: "--max-old-space-size=64" } });
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  }

  test("HS-01 does not grow with 300 files of 5 MB, and the first is shown before all are read", async () => {
    const root = temporaryFolder();
    const large = toolResult("r", 4_900_000);
    for (let file = 0; file < 3; file++) {
      const path = join(root, `t_${file}.jsonl`);
      writeFileSync(path, sessionText(`s${file}`, "/w/p") + large);
      for (let copy = 1; copy < 100; copy++) linkSync(path, join(root, `t_${file}-${copy}.jsonl`));
    }
    const { listings, doneAtFirst, total, peakMegabytes } = await list(root);
    expect(listings).toHaveLength(300);
    expect(listings.every(({ messageCount }: { messageCount: number }) => messageCount === 2)).toBe(true);
    expect({ doneAtFirst, total }).toEqual({ doneAtFirst: 1, total: 300 });
    expect(peakMegabytes).toBeLessThan(250);
  });

  test("HS-02 does not grow with one session of 200 MB, whose name is found near its end", async () => {
    const root = temporaryFolder();
    const file = openSync(join(root, "t_big.jsonl"), "w");
    writeSync(file, sessionText("big", "/w/p"));
    const block = Array.from({ length: 1000 }, (_, index) => toolResult(`r${index}`, 5000)).join("");
    for (let written = 0; written < 40; written++) writeSync(file, block);
    writeSync(
      file,
      `${JSON.stringify({ type: "session_info", id: "n", parentId: null, timestamp: "t", name: "The end" })}\n`,
    );
    const { listings, peakMegabytes } = await list(root);
    expect(listings).toMatchObject([{ id: "big", name: "The end", messageCount: 40_001, firstMessage: "big-1" }]);
    expect(peakMegabytes).toBeLessThan(250);
  });
});

test("sessions in a folder of the user's own are a store", async () => {
  const root = realpathSync(temporaryFolder());
  place(join(root, "one.jsonl"), sessionText("s1", "/w/p"));
  place(join(root, "one", "agent.jsonl"), sessionText("sub", "/w/p"));
  expect(await idsListed(new JsonlStore({ root, durability: "process" }))).toEqual(["s1"]);
});
