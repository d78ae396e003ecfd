import { expect, test } from "vitest";
import { SessionRepo } from "../../src/index.ts";
import { MemoryStore } from "../../src/storage/memory/memory-store.ts";
import { sessionConformance } from "../../src/testing/index.ts";

test("a skip that names no case is a mistake", () => {
  const subject = { name: "x", create: () => Promise.reject(), skip: [{ name: "no such case", reason: "none" }] };
  expect(() => sessionConformance({ test: () => undefined }, subject)).toThrow(TypeError);
});

test("a skipped case is not run and shown with its reason", () => {
  const name = "DL-08 listing takes nothing away";
  const run: string[] = [];
  const skipped: string[] = [];
  const harness = {
    test: (title: string) => run.push(title),
    skip: (title: string, reason: string) => skipped.push(title, reason),
  };
  const create = async () => ({ openRepo: async () => new SessionRepo({ store: new MemoryStore() }) });
  sessionConformance(harness, { name: "x", create, skip: [{ name, reason: "not here" }] });
  expect(skipped).toEqual([`x: ${name}`, "not here"]);
  expect(run).not.toContain(`x: ${name}`);
  expect(run.length).toBeGreaterThan(40);
});
