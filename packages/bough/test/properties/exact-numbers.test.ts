import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "../../src/entry/json-value.ts";
import { encodeEntry, encodeHeader, jsonText, toJulia, toJuliaHeader } from "../../src/format/index.ts";
import type { MessageEntry, Session, SessionHeader, SessionMetadata, SessionTreeEntry } from "../../src/index.ts";
import { type FileEntry, SessionManager } from "../../src/session-manager/index.ts";
import { DirectoryRepo } from "../../src/storage/directory/index.ts";
import { JsonlRepo, migrateFile, repairFile } from "../../src/storage/jsonl/index.ts";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { exactly, jsonWithNumbers } from "../support/numbers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * A number that is stored is kept, whether JavaScript can hold it or not, also where an entry is read and written anew.
 */

interface Values {
  readonly version: 1 | 2 | 3;
  /** One for each place, as JSON. */
  readonly texts: readonly string[];
}

const values = (version: Values["version"]) =>
  fc.array(jsonWithNumbers, { minLength: 3, maxLength: 3 }).map((texts): Values => ({ version, texts }));

const time = `"timestamp":"2026-01-01T00:00:00.000Z"`;

/** A session with a value in every kind of place, each entry behind a mark. */
function sessionText({ version, texts: [a, b, c] }: Values): string {
  const hasIds = version > 1;
  const place = (id: string, parent: string) => (hasIds ? `"id":"${id}","parentId":${parent},${time}` : time);
  const role = version === 3 ? "custom" : "hookMessage";
  const usage = `{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"more":${a}}`;
  const call = `{"type":"toolCall","id":"k","name":"n","arguments":{"x":${a},"y":[${b}]},"more":${c}}`;
  const about = `"api":"x","provider":"p","model":"m","stopReason":"toolUse","timestamp":1767225600000`;
  const lines = [
    `{"type":"session","version":${version},"id":"s1",${time},"cwd":"/w","metadata":{"x":${a}},"more":${b}}`,
    `{"type":"message",${place("e1", "null")},"more":${a},"message":{"role":"${role}","customType":"t","content":"hi","display":true,"timestamp":1,"details":${b},"more":${c}}}`,
    `{"type":"label",${place("l1", '"e1"')},"targetId":"e1","label":"here"}`,
    `{"type":"message",${place("e2", '"l1"')},"message":{"role":"assistant","content":[${call}],"usage":${usage},${about}}}`,
    `{"type":"custom",${place("e3", '"l1"')},"customType":"c","data":${c},"more":${a}}`,
    `{"type":"label",${place("l2", '"e3"')},"targetId":"e3","label":"there"}`,
    `{"type":"compaction",${place("e4", '"l2"')},"summary":"s","firstKeptEntryId":"l1","tokensBefore":1,"details":${b},"more":${a}}`,
    `{"type":"future",${place("e5", '"l2"')},"more":${a},"x":{"y":[${b}, ${c}]}}`,
  ];
  return `${lines.join("\n")}\n`;
}

type Line = Readonly<Record<string, unknown>>;

function linesOf(text: string): readonly Line[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => exactly(line) as Line);
}

/** What lines say apart from where they hang. */
function bodies(lines: readonly Line[]): readonly Line[] {
  return lines
    .filter(({ type }) => type !== "session" && type !== "label" && type !== "leaf")
    .map(({ id: _, parentId: __, timestamp: ___, firstKeptEntryId: ____, ...body }) => body);
}

function expectSameEntries(written: string, stored: Values): void {
  const [found, expected] = [linesOf(written), linesOf(sessionText({ ...stored, version: 3 }))];
  expect(bodies(found)).toEqual(bodies(expected));
  expect(found.find(({ type }) => type === "session")?.metadata).toEqual(expected[0]?.metadata);
}

function expectSame(written: string, stored: Values): void {
  expectSameEntries(written, stored);
  expect(exactly(written.split("\n")[0] as string)).toMatchObject({ more: exactly(stored.texts[1] as string) });
}

function fileWith(text: string): string {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, text);
  return path;
}

function contentOf(session: Session): string {
  return readFileSync(session.storage.ref.location as string, "utf8");
}

function opened(stored: Values): Promise<Session> {
  return new JsonlRepo({ root: temporaryFolder() }).open(fileWith(sessionText(stored)));
}

const runs = process.env.BOUGH_CAMPAIGN ? 2000 : 60;

/** What is random, and what each reader is known to have changed. */
function everyTime(version: Values["version"], check: (stored: Values) => Promise<void> | void): () => Promise<void> {
  const known: Values = { version, texts: ["12345678901234567890", "[1e999]", "0.12345678901234567890"] };
  const property = fc.asyncProperty(values(version), async (stored) => await check(stored));
  return () => fc.assert(property, { numRuns: runs, examples: [[known]] });
}

test(
  "a fork into a file keeps numbers",
  everyTime(3, async (stored) => {
    const source = await opened(stored);
    const fork = await source.fork();
    expectSame(contentOf(fork), stored);
    const manager = SessionManager.forkFrom(source.storage.ref.location as string, "/w", temporaryFolder());
    expectSame(readFileSync(manager.getSessionFile() as string, "utf8"), stored);
    for (const session of [fork, source]) await session.close();
  }),
);

test(
  "an export keeps numbers, in the Julia form too, from which they come back",
  everyTime(3, async (stored) => {
    const source = await opened(stored);
    const entries = await source.getEntries();
    expectSame(exportOf(source.header, entries), stored);
    const julia = [jsonText(toJuliaHeader(source.header)), ...entries.map((entry) => jsonText(toJulia(entry)))];
    const path = fileWith(`${julia.join("\n")}\n`);
    migrateFile(path);
    expectSame(readFileSync(path, "utf8"), stored);
    await source.close();
  }),
);

test(
  "a copy in any storage keeps numbers, and so does its fork",
  everyTime(3, async (stored) => {
    const source = await opened(stored);
    const entries = await source.getEntries();
    for (const Repo of [MemoryRepo, DirectoryRepo, JsonlRepo]) {
      const repo = new Repo({ root: temporaryFolder() });
      const copy = await repo.create({ metadata: source.header.metadata as SessionMetadata });
      await copy.storage.appendEntries(entries);
      for (const session of [copy, await copy.fork(), await repo.open(copy.id)]) {
        expectSameEntries(exportOf(session.header, await session.getEntries()), stored);
        await session.close();
      }
    }
    await source.close();
  }),
);

test(
  "what was read keeps its numbers where it is appended as something new",
  everyTime(3, async (stored) => {
    const source = await opened(stored);
    const [first, second, third] = await Promise.all(["e1", "e2", "e3"].map((id) => source.getEntry(id)));
    const session = await new MemoryRepo().create();
    await session.appendMessages([(first as MessageEntry).message, { ...(second as MessageEntry).message }]);
    await session.appendCustomEntry("c", third);
    await session.appendCompaction({ summary: "s", tokensBefore: 1, details: third });
    const written = linesOf(exportOf(session.header, await session.getEntries()));
    const expected = linesOf(sessionText(stored));
    expect(written.map(({ message }) => message).slice(1, 3)).toEqual([expected[1]?.message, expected[3]?.message]);
    expect([written[3]?.data, written[4]?.details]).toEqual([expected[4], expected[4]]);
    await source.close();
  }),
);

test.each([1, 2] as const)("a session of version %i keeps numbers where it is migrated", async (version) => {
  await everyTime(version, async (stored) => {
    const path = fileWith(sessionText(stored));
    const session = await new JsonlRepo({ root: temporaryFolder() }).open(path);
    expectSame(exportOf(session.header, await session.getEntries()), stored);
    const fork = await session.fork();
    expectSame(contentOf(fork), stored);
    for (const open of [fork, session]) await open.close();
    migrateFile(path);
    expectSame(readFileSync(path, "utf8"), stored);
  })();
});

test(
  "a repair keeps numbers",
  everyTime(3, async (stored) => {
    const damaged = sessionText(stored)
      .replace('"parentId":"l1"', '"parentId":"nowhere"')
      .replace('"id":"e3","parentId":"l1"', '"parentId":"l1"')
      .replace('{"type":"future"', '\0\0{"type":"future"');
    const path = fileWith(damaged);
    expect(repairFile(path)).toMatchObject({ status: "repaired" });
    expectSame(readFileSync(path, "utf8"), stored);
  }),
);

test(
  "a session made of records keeps their numbers",
  everyTime(3, (stored) => {
    const records = sessionText(stored).trimEnd().split("\n").map(jsonValue) as FileEntry[];
    const manager = SessionManager.inMemory("/w", {}, records);
    expectSame(exportOf(manager.getHeader(), manager.getEntries()), stored);
  }),
);

function exportOf(header: SessionHeader, entries: readonly SessionTreeEntry[]): string {
  return [encodeHeader(header), ...entries.map(encodeEntry)].join("\n");
}
