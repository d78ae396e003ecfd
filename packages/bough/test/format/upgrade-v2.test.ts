import { expect, test } from "vitest";
import { decodeFile, fileOf } from "../support/decode.ts";

const header = { type: "session", version: 2, id: "s1", timestamp: "2025-12-20T00:00:00.000Z", cwd: "/w/p" };
const entry = (id: string, parentId: string | null, message: object) => ({
  ...{ type: "message", id, parentId, timestamp: "2025-12-20T00:00:01.000Z" },
  message,
});
const hook = { role: "hookMessage", customType: "x", content: "c", display: true, timestamp: 1 };

test("pi-25 omp-66 messages of hooks become custom ones, and nothing else changes", () => {
  const user = { role: "user", content: "hookMessage", timestamp: 1, own: { role: "hookMessage" } };
  const { decoder, entries } = decodeFile(fileOf(header, entry("a", null, user), entry("b", "a", hook)));
  expect(entries).toEqual([entry("a", null, user), entry("b", "a", { ...hook, role: "custom" })]);
  expect([decoder.version, decoder.access, decoder.header]).toEqual([2, "migrate", { ...header, version: 3 }]);
});

test("version 1 goes the same way, version 3 doesn't", () => {
  const { version: _, ...first } = header;
  expect(decodeFile(fileOf(first, entry("a", null, hook))).entries).toMatchObject([{ message: { role: "custom" } }]);
  const third = { ...header, version: 3 };
  expect(decodeFile(fileOf(third, entry("a", null, hook))).entries).toMatchObject([
    { message: { role: "hookMessage" } },
  ]);
});

test("an entry without an id is damage, since only version 1 had none", () => {
  const { id: _, ...nameless } = entry("a", null, { role: "user", content: "" });
  for (const version of [2, 3]) {
    const { entries, diagnostics } = decodeFile(fileOf({ ...header, version }, nameless));
    expect(entries).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: "malformed_line", line: 2 }]);
  }
});
