import { expect, test } from "vitest";
import type { SessionHeader } from "../../../src/entry/header.ts";
import { asyncLog } from "../../../src/session/async-log.ts";
import { MemoryLog, MemoryRecords } from "../../../src/storage/memory/index.ts";
import { logConformance } from "../../../src/testing/index.ts";
import { specimens } from "../../../src/testing/specimens.ts";

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/",
};

logConformance(
  { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
  {
    name: "memory",
    async create(header) {
      const records = new MemoryRecords(header);
      return {
        log: asyncLog(new MemoryLog(records)),
        open: async () => asyncLog(new MemoryLog(records)),
        stored: async () => structuredClone(records.from(0)),
        remove: async () => records.delete(),
      };
    },
  },
);

test("records that were exchanged are handed out anew as replaced", () => {
  const [first, second, third] = specimens();
  if (!first || !second || !third) throw new Error("specimens are missing");
  const records = new MemoryRecords(header, [first, second]);
  const log = new MemoryLog(records);
  expect(log.changes()).toMatchObject({ kind: "grown", heads: [{ id: first.id }, { id: second.id }] });
  records.replace([third]);
  expect(log.changes()).toMatchObject({ kind: "replaced", heads: [{ id: third.id, position: 0 }] });
  expect(log.changes()).toEqual({ kind: "grown", heads: [], diagnostics: [] });
});

test("the header is a copy and frozen", () => {
  const mine = { ...header, metadata: { a: 1 } };
  const log = new MemoryLog(new MemoryRecords(mine));
  mine.metadata.a = 2;
  expect(log.header.metadata).toEqual({ a: 1 });
  expect(Object.isFrozen(log.header.metadata)).toBe(true);
});

test("a position that was never handed out is a mistake of the caller", () => {
  const log = new MemoryLog(new MemoryRecords(header));
  expect(() => log.read([7])).toThrow(RangeError);
});
