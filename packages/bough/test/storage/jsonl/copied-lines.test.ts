import { readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JsonlRepo } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header } from "./records.ts";
import { place } from "./stores.ts";

const time = "2026-01-01T00:00:01.000Z";

function said(id: string, parentId: string | null, more: object = {}): object {
  return {
    type: "message",
    id,
    parentId,
    timestamp: time,
    message: { role: "user", content: id, timestamp: 0 },
    ...more,
  };
}

/** Forks a session of these lines, all of it unless told where; the lines of the fork without its header. */
async function forked(lines: readonly string[], { at, first = header }: { at?: string; first?: object } = {}) {
  const root = temporaryFolder();
  const path = place(join(root, "source.jsonl"), [JSON.stringify(first), ...lines].join("\n"));
  await using repo = new JsonlRepo({ root, durability: "process" });
  const fork = await repo.fork(path, at);
  const stored = readFileSync(fork.storage.ref.location as string, "utf8");
  expect(stored.endsWith("\n")).toBe(true);
  return { lines: stored.trimEnd().split("\n").slice(1), entries: await fork.getEntries() };
}

test("what a fork doesn't change is copied byte for byte", async () => {
  const odd = '{ "parentId":null, "message":{"timestamp":0,"content":"\\u0041","role":"user","more":1e0},"id":"a",';
  const lines = [`${odd}"timestamp":"${time}","type":"message"}`, JSON.stringify(said("b", "a", { own: "field" }))];
  expect((await forked([...lines, ""])).lines).toEqual(lines);
  // The last line has no newline.
  expect((await forked(lines)).lines).toEqual(lines);
  expect((await forked([...lines, JSON.stringify(said("c", "b"))], { at: "b" })).lines).toEqual(lines);
});

test("what hung from an entry that stays behind hangs elsewhere", async () => {
  const label = { type: "label", id: "l", parentId: "a", timestamp: time, targetId: "a", label: "x" };
  const { entries } = await forked(
    [said("a", null), label, said("b", "l"), said("c", "nowhere")].map((e) => JSON.stringify(e)),
  );
  const parents = Object.fromEntries(entries.map(({ id, parentId }) => [id, parentId]));
  expect(parents).toMatchObject({ a: null, b: "a", c: null });
});

test("a label keeps its time, whatever it is", async () => {
  const stored = { type: "label", id: "l", parentId: "a", timestamp: "yesterday", targetId: "a", label: "x" };
  const { entries } = await forked([said("a", null), stored, said("b", "a")].map((entry) => JSON.stringify(entry)));
  expect(entries.find(({ type }) => type === "label")).toMatchObject({ timestamp: "yesterday", label: "x" });
});

test("of a repeated id the line that counts is copied", async () => {
  const lines = [said("a", null), said("b", "a"), said("b", "a", { again: true }), said("c", "b")];
  const { entries } = await forked(lines.map((entry) => JSON.stringify(entry)));
  expect(entries.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(entries[1]).toMatchObject({ again: true });
});

test("a damaged record is copied as it stands and stays damaged", async () => {
  const torn = JSON.stringify(said("b", "a")).slice(0, -12);
  const { lines, entries } = await forked([JSON.stringify(said("a", null)), torn, JSON.stringify(said("c", "b"))]);
  expect(lines[1]).toBe(torn);
  expect(entries.map(({ type }) => type)).toEqual(["message", "damaged", "message"]);
});

test("lines of older forms and of other dialects are written anew", async () => {
  const first = { ...header, version: 2 };
  const older = {
    ...said("a", null),
    message: { role: "hookMessage", customType: "x", content: "t", display: true, timestamp: 0 },
  };
  expect((await forked([JSON.stringify(older)], { first })).lines[0]).not.toBe(JSON.stringify(older));
  const model = JSON.stringify({ type: "model_change", id: "m", parentId: null, timestamp: time, model: "acme/large" });
  const { lines } = await forked([model]);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ provider: "acme", modelId: "large", model: "acme/large" });
});

test("what refers to another entry is copied byte for byte where that comes along, and written anew where not", async () => {
  const compaction = { type: "compaction", id: "k", parentId: "b", timestamp: time, summary: "s", tokensBefore: 1 };
  const summary = { type: "branch_summary", id: "s", parentId: "k", timestamp: time, fromId: "x", summary: "s" };
  const lines = [said("a", null), said("b", "a"), said("x", "b"), { ...compaction, firstKeptEntryId: "b" }, summary];
  const stored = lines.map((line) => JSON.stringify(line).replace(/}$/, " }"));
  expect((await forked(stored)).lines).toEqual(stored);
  const path = (await forked(stored, { at: "s" })).lines;
  expect(path.slice(0, 3)).toEqual([stored[0], stored[1], stored[3]]);
  expect(JSON.parse(path[3] as string)).toEqual({ ...summary, fromId: "b" });
  const byOhMyPi = JSON.stringify({ ...compaction, parentId: "a", firstKeptEntryId: "a", fromExtension: true });
  const { lines: translated } = await forked([stored[0] as string, byOhMyPi]);
  expect(JSON.parse(translated[1] as string)).toMatchObject({ firstKeptEntryId: "a", fromHook: true });
});

test("a source that is cut short meanwhile gives no fork", async () => {
  const root = temporaryFolder();
  const lines = [header, said("a", null), said("b", "a")].map((line) => JSON.stringify(line));
  const path = place(join(root, "source.jsonl"), `${lines.join("\n")}\n`);
  await using repo = new JsonlRepo({ root, durability: "process" });
  await using source = await repo.open(path);
  await source.getTree();
  truncateSync(path, statSync(path).size - 10);
  await expect(source.fork()).rejects.toMatchObject({ code: "storage_io" });
  expect((await repo.list()).map(({ id }) => id)).toEqual([header.id]);
});

test("lines longer than a piece are copied whole", async () => {
  const lines = [
    said("a", null, { text: "x".repeat(1_000_000) }),
    said("b", "a"),
    said("c", "b", { text: "ß".repeat(300_000) }),
  ];
  const stored = lines.map((line) => JSON.stringify(line));
  expect((await forked(stored)).lines).toEqual(stored);
});
